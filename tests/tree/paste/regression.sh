# Make the tables of docs/regression.md: homes with price, area, city and sold, and areas to predict.
awk 'function u() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
BEGIN {
    seed = 1
    print "price,area,city,sold"
    for (i = 0; i < 60; i++) {
        area = 50 + 80 * u()
        printf "%.1f,%.1f,%s,%d\n", 20 + 3 * area + 15 * (i % 3) + 30 * u(), area, substr("BernUlm Genf", 1 + 4 * (i % 3), 4),
            u() < 0.5
    }
}' | tr -d ' ' >homes.csv
printf 'area,city\n60,Ulm\n90,Genf\n' >new.csv

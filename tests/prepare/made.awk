# Makes a table like those on which everybody tries networks first, of random rows with the same columns, kinds, gaps
# and quotes; equal arguments give equal bytes.  Usage:
#   awk -v kind=titanic -v rows=891 -v seed=1 -f made.awk     passengers: names with commas, identifiers, many gaps
#   awk -v kind=adult -v rows=5000 -v seed=1 -f made.awk      persons: ? for gaps, blanks behind commas, rare words

# The generator of Park and Miller (1988), exact in doubles: that of awk differs between its versions.
function uniform() {
    state = state * 16807 % 2147483647
    return state / 2147483647
}
function normal(i, sum) {
    for (i = 0; i < 12; i++) sum += uniform()
    return sum - 6
}
function chance(p) { return uniform() < p }
function logistic(x) { return 1 / (1 + exp(-x)) }
# Returns one of the words of `list`, which has "word:weight" between bars; the weights sum to 1.
function choose(list, words, n, i, pair, u) {
    n = split(list, words, "|")
    u = uniform()
    for (i = 1; i <= n; i++) {
        split(words[i], pair, ":")
        u -= pair[2]
        if (u < 0 || i == n) return pair[1]
    }
}
function between(x, low, high) { return x < low ? low : x > high ? high : x }

function passenger(i, class, sex, age, family, parents, fare, title, cabin, port, survived) {
    class = choose("1:0.24|2:0.21|3:0.55")
    sex = choose("male:0.65|female:0.35")
    age = between(int((43 - 6 * class + 13 * normal()) * 2) / 2, 0.5, 80)
    family = chance(0.32) ? 1 + int(3 * uniform() * uniform()) : 0
    parents = chance(0.24) ? 1 + int(2 * uniform()) : 0
    fare = exp(5.3 - 1.1 * class + 0.5 * normal()) * (1 + 0.3 * family)
    title = age < 14 ? (sex == "male" ? "Master." : "Miss.") : sex == "male" ? "Mr." : chance(0.5) ? "Mrs." : "Miss."
    cabin = chance(class == 1 ? 0.8 : 0.06) ? substr("ABCDE", 1 + int(5 * uniform()), 1) int(1 + 120 * uniform()) : ""
    port = chance(0.005) ? "" : choose("S:0.72|C:0.19|Q:0.09")
    survived = chance(logistic(2.6 * (sex == "female") - 1.1 * (class - 2) - 0.035 * (age - 28) - 0.4 * family - 1.2))
    printf "%d,%d,%d,\"%s, %s %s%s\",%s,%s,%d,%d,%s,%.4f,%s,%s\n", i, survived, class,
        choose("Abbott:0.2|Braund:0.2|Cumings:0.2|Nasser:0.2|Palsson:0.2"), title,
        choose("Anna:0.3|Owen:0.3|Lee:0.2|Rosa:0.2"), chance(0.1) ? " (\"\"Bertie\"\")" : "", sex,
        chance(0.2) ? "" : age, family, parents, chance(0.3) ? "PC " int(17000 + 900 * uniform()) : int(2000 + 350000 * uniform()),
        fare, cabin, port
}

function person(age, school, years, married, sex, hours, gain, loss, work, rich) {
    age = between(int(38.5 + 13.5 * normal()), 17, 90)
    school = choose("HS-grad=9:0.33|Some-college=10:0.23|Bachelors=13:0.17|Masters=14:0.06|Assoc-voc=11:0.05|11th=7:0.05|10th=6:0.04|Doctorate=16:0.03|7th-8th=4:0.03|Preschool=1:0.01")
    years = substr(school, index(school, "=") + 1)
    school = substr(school, 1, index(school, "=") - 1)
    married = chance(logistic((age - 33) / 8)) ? "Married-civ-spouse" : choose("Never-married:0.65|Divorced:0.25|Separated:0.06|Widowed:0.04")
    sex = choose("Male:0.67|Female:0.33")
    hours = between(int(40.4 + 12 * normal()), 1, 99)
    gain = chance(0.08) ? int(exp(8.3 + 0.9 * normal())) : 0
    loss = gain == 0 && chance(0.05) ? int(1870 + 380 * normal()) : 0
    work = chance(0.056) ? "?" : choose("Private:0.74|Self-emp-not-inc:0.08|Local-gov:0.07|State-gov:0.04|Self-emp-inc:0.035|Federal-gov:0.03|Without-pay:0.005")
    rich = chance(logistic(-3.6 + 0.35 * (years - 10) + 2.3 * (married ~ /^Married/) + 0.025 * (age - 38) + 0.03 * (hours - 40) + 0.0004 * gain + 0.3 * (sex == "Male")))
    printf "%d, %s, %d, %s, %d, %s, %s, %s, %s, %s, %d, %d, %d, %s, %s\n", age, work,
        int(between(exp(12 + 0.5 * normal()), 12000, 1500000)), school, years, married,
        work == "?" ? "?" : choose("Prof-specialty:0.14|Craft-repair:0.14|Exec-managerial:0.14|Adm-clerical:0.13|Sales:0.12|Other-service:0.11|Machine-op-inspct:0.07|Transport-moving:0.05|Handlers-cleaners:0.05|Tech-support:0.05"),
        married ~ /^Married/ ? (sex == "Male" ? "Husband" : "Wife") : choose("Not-in-family:0.48|Own-child:0.3|Unmarried:0.22"),
        choose("White:0.85|Black:0.1|Asian-Pac-Islander:0.03|Amer-Indian-Eskimo:0.01|Other:0.01"), sex, gain, loss, hours,
        chance(0.018) ? "?" : choose("United-States:0.9|Mexico:0.02|Philippines:0.01|Germany:0.01|Canada:0.01|India:0.01|Cuba:0.01|Japan:0.01|Peru:0.01|Hungary:0.01"),
        rich ? ">50K" : "<=50K"
}

BEGIN {
    state = (seed ? seed : 1) * 7919 + 1
    for (i = 0; i < 10; i++) uniform()
    if (kind == "titanic") print "PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Parch,Ticket,Fare,Cabin,Embarked"
    else print "age, workclass, fnlwgt, education, education-num, marital-status, occupation, relationship, race, sex, capital-gain, capital-loss, hours-per-week, native-country, income"
    for (i = 1; i <= rows; i++)
        if (kind == "titanic") passenger(i)
        else person()
}

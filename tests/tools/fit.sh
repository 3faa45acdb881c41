#!/bin/sh
# tyto fit: models of tables by formulas.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"

cat >"$dir/cars.csv" <<'TEXT'
mpg,weight,origin,diesel,"two words"
30.1,2.1,japan,no,1
24.2,2.9,europe,no,2
18.3,3.6,usa,yes,3
27.9,2.4,japan,yes,4
22.5,3.1,europe,yes,5
16.8,4.0,usa,no,6
31.2,1.9,japan,no,7
,2.5,usa,no,8
19.9,3.4,europe,yes,9
TEXT
grep -v europe "$dir/cars.csv" >"$dir/two.csv"
expect 0 "usage: tyto fit FORMULA TABLE" "$tyto" fit --help
expect 0 "each city has a slope of its own" "$tyto" fit --help
expect 0 "Linear regression of mpg" "$tyto" fit 'mpg ~ weight' "$dir/cars.csv"
expect 0 "dropped rows             1" "$tyto" fit 'mpg ~ weight' "$dir/cars.csv"
expect 0 "originusa" "$tyto" fit 'mpg ~ weight + origin' "$dir/cars.csv"
expect 0 "weight:originjapan" "$tyto" fit 'mpg ~ weight * origin' "$dir/cars.csv"
expect 0 "\`two words\`" "$tyto" fit 'mpg ~ .' "$dir/cars.csv"
expect 0 "robust (HC3)" "$tyto" fit 'mpg ~ poly(weight, 2)' "$dir/cars.csv" --robust HC3
expect 0 "[0.05" "$tyto" fit 'mpg ~ weight' "$dir/cars.csv" --confidence 0.9
expect 0 "Poisson regression" "$tyto" fit '`two words` ~ weight' "$dir/cars.csv" --family poisson
expect 0 "Logistic regression" "$tyto" fit 'diesel ~ weight' "$dir/cars.csv" --family binomial
expect 0 "Separated" "$tyto" fit 'origin ~ weight' "$dir/two.csv" --family binomial
expect 0 '"name": "(Intercept)", "estimate": ' "$tyto" fit 'mpg ~ weight' "$dir/cars.csv" --json
expect 0 '"adjusted_r_squared": null' "$tyto" fit 'diesel ~ weight' "$dir/cars.csv" --family binomial --json
expect 0 "" "$tyto" fit 'mpg ~ weight' "$dir/cars.csv" --json --output "$dir/model.json"
expect 0 '"rows": 8' cat "$dir/model.json"
expect 0 "NA: 1 aliased columns" "$tyto" fit 'mpg ~ weight + I(2 * weight)' "$dir/cars.csv"
printf 'weight,origin\n3,usa\n2,japan\n' >"$dir/new.csv"
expect 0 "mean,error,low,high,new_low,new_high" "$tyto" fit 'mpg ~ weight + origin' "$dir/cars.csv" --predict "$dir/new.csv"
printf 'weight,origin\n3,mars\n' >"$dir/new.csv"
expect 1 'origin is "mars" in row 0; the model has not seen it' "$tyto" fit 'mpg ~ weight + origin' "$dir/cars.csv" --predict "$dir/new.csv"
# Names like options, deep formulas, words of a megabyte.
printf -- '--json,-1,y\n1,2,3\n2,1,4\n4,4,6\n3,1,9\n' >"$dir/odd.csv"
expect 0 '`--json`' "$tyto" fit 'y ~ `--json` + `-1`' "$dir/odd.csv"
expect 0 '`-1`' "$tyto" fit 'y ~ .' "$dir/odd.csv"
expect 1 "nested more than 100 deep" "$tyto" fit "y ~ $(printf '%0500d' 0 | tr 0 '(')" "$dir/odd.csv"
expect 1 "longer than 65536 bytes" "$tyto" fit "y ~ $(printf '%070000d' 0)" "$dir/odd.csv"
{
    printf 'w,y\n'
    for i in 1 2 3 4 5 6; do printf '%s%01000000d,%d\n' "word$((i % 2))" 0 $i; done
} >"$dir/long.csv"
expect 0 "wword10000000000000000000000000000000" "$tyto" fit 'y ~ w' "$dir/long.csv"
printf 'y,x,g\n1,,a\n2,,b\n,3,c\n' >"$dir/holes.csv"
expect 1 "g has no values: every row has a missing value" "$tyto" fit 'y ~ x + g' "$dir/holes.csv"
expect 0 "mean,error" "$tyto" fit 'mpg ~ weight + weight:mpg' "$dir/cars.csv" --predict "$dir/cars.csv"
printf 'y,x\n' >"$dir/none.csv"
expect 1 "" "$tyto" fit 'y ~ x' "$dir/none.csv"
printf 'y,x\n1,2\n' >"$dir/one.csv"
expect 0 "No degrees of freedom" "$tyto" fit 'y ~ x' "$dir/one.csv"
expect 2 "fit needs a formula and a table" "$tyto" fit 'mpg ~ weight'
expect 1 "has no column \"wieght\" (did you mean weight?); its 5 columns are weight, " "$tyto" fit 'mpg ~ wieght' "$dir/cars.csv"
expect 1 "expected '~', found the end of the text" "$tyto" fit 'mpg' "$dir/cars.csv"
printf 'y,g,x\n1,a,1\n2,a,2\n3,a,4\n5,a,3\n' >"$dir/single.csv"
expect 1 'formula: g has one value, "a", in the rows that count, so it tells nothing: leave it out' "$tyto" fit 'y ~ g + x' "$dir/single.csv"
expect 1 'formula: g has one value' "$tyto" fit 'y ~ x + x:g' "$dir/single.csv"
expect 0 "ga " "$tyto" fit 'y ~ 0 + g' "$dir/single.csv"
expect 1 "found the end of the text" "$tyto" fit 'mpg ~ (weight' "$dir/cars.csv"
expect 1 "the response origin has 3 different words; expected 2" "$tyto" fit 'origin ~ weight' "$dir/cars.csv"
expect 1 "y[0] is 30.1; the binomial family expects" "$tyto" fit 'mpg ~ weight' "$dir/cars.csv" --family binomial
expect 2 "--family poison (did you mean poisson?)" "$tyto" fit 'mpg ~ weight' "$dir/cars.csv" --family poison
expect 1 "/no/such/file" "$tyto" fit 'mpg ~ weight' /no/such/file

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

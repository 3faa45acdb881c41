#!/bin/sh
# Networks of tables with words, gaps and identifiers, like the files that everybody tries first (tests/prepare/made.awk).
# BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"
made="$(dirname "$0")/../prepare/made.awk"

# reaches LEAST NAME TARGET: the accuracy of the test rows in percent, after going back to the best epoch.
reaches() {
    expect 0 "back to epoch" "$tyto" train mlp --data "$dir/$2.csv" --target "$3" --test 0.3 --epochs 30 --early-stop 4 --save "$dir/$2.net"
    found=$(sed -n 's/^test: .* accuracy \([0-9.]*\) %.*/\1/p' "$dir/out")
    if awk "BEGIN { exit !(${found:-0} >= $1) }"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: $2: accuracy ${found:-none} %, expected at least $1"
    fi
}

# Always the most frequent class would give 65 and 76 %.
awk -v kind=titanic -v rows=891 -v seed=1 -f "$made" >"$dir/titanic.csv"
awk -v kind=adult -v rows=5000 -v seed=1 -f "$made" >"$dir/adult.csv"
expect 0 "csv, 891 rows, 12 columns" "$tyto" info "$dir/titanic.csv"
expect 0 "csv, 5000 rows, 15 columns" "$tyto" info "$dir/adult.csv"
reaches 72 titanic Survived
reaches 79 adult income
expect 0 "PassengerId              whole         0         0  drop (an identifier" "$tyto" train mlp --data "$dir/titanic.csv" --target Survived --epochs 1
expect 0 "<=50K" "$tyto" evaluate mlp --weights "$dir/adult.net" --data "$dir/adult.csv"

# Columns are matched by name, in any order, with and without the target.
awk -v kind=adult -v rows=50 -v seed=2 -f "$made" >"$dir/new.csv"
awk -F', ' '{ print $14 ", " $13 ", " $12 ", " $11 ", " $10 ", " $9 ", " $8 ", " $7 ", " $6 ", " $5 ", " $4 ", " $3 ", " $2 ", " $1 }' \
    "$dir/new.csv" >"$dir/turned.csv"
"$tyto" predict mlp --weights "$dir/adult.net" --input "$dir/new.csv" >"$dir/new.txt"
expect 0 "income,<=50K,>50K" "$tyto" predict mlp --weights "$dir/adult.net" --input "$dir/turned.csv"
same "$dir/new.txt" "$dir/out" "predictions depend on the order of columns"
cut -d, -f1-13 "$dir/new.csv" >"$dir/short.csv"
expect 1 "native-country" "$tyto" predict mlp --weights "$dir/adult.net" --input "$dir/short.csv"

# tyto table
printf 'Embarked,town\nS,Southampton\nC,Cherbourg\n' >"$dir/ports.csv"
expect 0 "50%         446.000000    0.000000" "$tyto" table "$dir/titanic.csv" --describe
expect 0 "1  Sex         891       2  male" "$tyto" table "$dir/titanic.csv" --describe
expect 0 "Pclass  Sex     Fare_mean  Age_max  size" "$tyto" table "$dir/titanic.csv" --by Pclass --by Sex --value mean:Fare --value max:Age --value size
expect 0 "[1 row x 1 column]" "$tyto" table "$dir/titanic.csv" --value mean:Age
expect 0 "0  S           615" "$tyto" table "$dir/titanic.csv" --by Embarked --counts
expect 0 "Southampton  74.5" "$tyto" table "$dir/titanic.csv" --join "$dir/ports.csv" --on Embarked --how left --select Name --select town --select Age --sort Age --descending
expect 0 "rows x 12 columns]" "$tyto" table "$dir/titanic.csv" --complete
expect 1 "did you mean min?" "$tyto" table "$dir/titanic.csv" --value men:Age
expect 1 "takes numbers; the column has words" "$tyto" table "$dir/titanic.csv" --value mean:Name
expect 1 'has no column "Foo"; its 12 columns are PassengerId' "$tyto" table "$dir/titanic.csv" --by Foo
expect 1 "Foo" "$tyto" table "$dir/titanic.csv" --join "$dir/ports.csv" --on Foo
expect 1 "none.csv" "$tyto" table "$dir/none.csv"
expect 1 "none.csv" "$tyto" table "$dir/titanic.csv" --join "$dir/none.csv" --on Embarked
expect 1 'titanic.csv: has no column "fare" (did you mean Fare?); its 12 columns are Fare, PassengerId' "$tyto" eval x x="$dir/titanic.csv:fare"
expect 1 'titanic.csv: has no column "fare"' "$tyto" eval x x="$dir/titanic.csv[[\"Age\",\"fare\"]]"
expect 1 "select columns of a table (ty_table_read; tyto: FILE:COLUMN)" "$tyto" eval x x="$dir/titanic.csv"
expect 1 "median, var, std" "$tyto" table "$dir/titanic.csv" --value mean
expect 1 "the delimiter and the decimal sign are both ','; expected different ones" "$tyto" table "$dir/titanic.csv" --delimiter , --decimal ,
printf -- '--describe,-x\n1,2\n1,4\n' >"$dir/options.csv"
expect 0 "0           1      3.0" "$tyto" table "$dir/options.csv" --by=--describe --value mean:-x
expect 0 "3" "$tyto" eval 'mean(x)' x="$dir/options.csv:-x"
awk 'BEGIN { printf "a,b\n"; for (i = 0; i < 100000; i++) printf "long words "; printf ",1\n" }' >"$dir/long.csv"
expect 0 "0  long words long words long words long words lon..." "$tyto" table "$dir/long.csv"
expect 1 '(a) has "long words long words long words long wo", which is not a number' "$tyto" eval x x="$dir/long.csv"
{ printf 'Fare ~ '; awk 'BEGIN { for (i = 0; i < 10000; i++) printf "(" }'; } >"$dir/deep"
expect 1 "nest" "$tyto" fit "$(cat "$dir/deep")" "$dir/titanic.csv"
# Written tables are those that are printed, and read back; nothing is left of a failed writing.
expect 0 "Sex,size" "$tyto" table "$dir/titanic.csv" --by Sex -o -
expect 0 "" "$tyto" table "$dir/titanic.csv" --select Name --select Age -o "$dir/ages.tsv"
expect 0 "[891 rows x 2 columns]" "$tyto" table "$dir/ages.tsv" --rows 1
expect 0 "0  count      705.000000" "$tyto" table "$dir/ages.tsv" --describe
expect 1 "its directory cannot be opened" "$tyto" table "$dir/titanic.csv" -o "$dir/none/t.csv"
expect 2 "-o and --describe: expected one of them" "$tyto" table "$dir/titanic.csv" --describe -o "$dir/none.csv"
expect 2 "-o and --rows: expected one of them" "$tyto" table "$dir/titanic.csv" --rows 3 -o "$dir/none.csv"
expect 2 "none.npz: tables are written as csv, not as npz" "$tyto" table "$dir/titanic.csv" -o "$dir/none.npz"
expect 1 "" [ -e "$dir/none.csv" ]
expect 2 "--how: expected --join and --on, too" "$tyto" table "$dir/titanic.csv" --how left
expect 2 "--descending: expected --sort, too" "$tyto" table "$dir/titanic.csv" --descending
expect 2 "a table is missing" "$tyto" table
expect 2 "expected both" "$tyto" table "$dir/titanic.csv" --on Embarked
expect 2 "expected --by, without --value" "$tyto" table "$dir/titanic.csv" --counts

echo "$passed passed, $failed failed"
[ $failed = 0 ]

# Make the tables of docs/data.md.
made() { awk -v kind=titanic -v rows="$1" -v seed="$2" -f "$SOURCE/tests/prepare/made.awk"; }
made 891 1 >titanic.csv
made 40 2 >more.csv
printf 'Embarked,Port\nC,Cherbourg\nQ,Queenstown\nS,Southampton\n' >ports.csv

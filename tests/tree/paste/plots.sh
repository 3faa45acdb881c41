# Make the files that docs/plots.md plots.
awk -v kind=titanic -v rows=200 -v seed=1 -f "$SOURCE/tests/prepare/made.awk" |
    sed '1s/.*/PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Parch,Ticket,Fare,Cabin,Embarked/' >titanic.csv
tyto eval 'cast(uniform((20, 8, 8), key=key(1)) * 255, u8)' -o images.npy
tyto convert images.npy digits.npz --rename images
tyto eval 'sin(arange(44100.) * 0.06)' -o sound.npy
printf 'truth,predicted\ncat,cat\ncat,dog\ndog,dog\nowl,owl\n' >answers.csv

# Write the program at the top of the README as program.c, and let P be the prefix that its commands name.
awk '/^```c$/ { on = 1; next } /^```$/ { if (on) exit } on' "$SOURCE/README.md" >program.c
ln -s "$PREFIX" P

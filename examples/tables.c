/* Tables: rows of csv are joined, grouped and summarised (docs/data.md). */
#include <stdio.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/table_groups.h>
#include <tyto/table_rows.h>
#include <tyto/tyto.h>

static const char passengers[] = "name,class,sex,age,fare,port\n"
                                 "Allen,1,female,29,211.5,S\n"
                                 "Braund,3,male,22,7.25,S\n"
                                 "Cumings,1,female,38,71.25,C\n"
                                 "Heikkinen,3,female,26,8,S\n"
                                 "Moran,3,male,,8.5,Q\n"
                                 "Nasser,2,female,14,30,C\n"
                                 "Palsson,3,male,2,21,\n";
static const char ports[] = "port,town\nC,Cherbourg\nQ,Queenstown\nS,Southampton\n";

/* Print a table; false if it has failed. */
static bool show(const char *title, const ty_table *t) {
    printf("%s\n", title);
    return ty_table_print(stdout, t) && !*ty_table_error(t);
}

static bool summaries(const ty_table *ship) {
    ty_table *numbers = ty_table_describe(ship), *words = ty_table_describe_words(ship);
    bool well = show("numbers", numbers) && show("words", words);
    ty_table_free(numbers);
    ty_table_free(words);
    return well;
}

/* The ages of rows without gaps, of which there are five. */
static bool complete_rows(const ty_table *ship) {
    ty_table *whole = ty_table_drop_missing(ship, 0, NULL);
    double mean = ty_item(ty_mean(ty_table_column(whole, "age"), TY_ALL));
    bool well = ty_table_rows(whole) == 5 && mean == 25.8;
    ty_table_free(whole);
    return well;
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_table *ship = ty_table_parse(passengers, strlen(passengers), (ty_table_options){0});
    ty_table *towns = ty_table_parse(ports, strlen(ports), (ty_table_options){0});

    ty_group_column wanted[] = {
        {"fare", TY_GROUP_MEAN, NULL}, {"age", TY_GROUP_MAX, "oldest"}, {NULL, TY_GROUP_SIZE, NULL}};
    ty_table *by_class = ty_table_group(ship, 2, (const char *const[]){"class", "sex"}, 3, wanted, false);
    ty_table *joined =
        ty_table_join(ship, towns, 1, (const char *const[]){"port"}, TY_PAIRS_LEFT, NULL, NULL);
    ty_table *counts = ty_table_counts(joined, 1, (const char *const[]){"town"});
    bool well = show("groups", by_class); /* print it: columns class, sex, fare_mean, oldest, size */
    well = well && show("joined", joined) && show("towns", counts);
    double mean = ty_item(ty_at(ty_table_column(by_class, "fare_mean"), "0")); /* of women in class 1 */
    well = well && mean == 141.375 && ty_table_rows(joined) == 7 && ty_table_rows(counts) == 3;
    well = summaries(ship) && complete_rows(ship) && well;

    ty_table_free(ship);
    ty_table_free(towns);
    ty_table_free(by_class);
    ty_table_free(joined);
    ty_table_free(counts);
    ty_close(scope);
    puts(well ? "ok" : "not as expected");
    return !well;
}

#!/bin/sh
# The program that holds all of tests/unit: units.sh NAME... writes it. Its first argument says which of them runs.
echo '#include <stdio.h>'
echo '#include <string.h>'
for name; do
    echo "int tri_unit_$name(void);"
done
echo 'static const struct { const char *name; int (*run)(void); } units[] = {'
for name; do
    echo "    {\"$name\", tri_unit_$name},"
done
cat <<'END'
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof units / sizeof *units; i++)
        if (!strcmp(argv[1], units[i].name))
            return units[i].run();
    fprintf(stderr, "usage: units NAME\n");
    return 2;
}
END

#include "debug.h"

#include "check.h"

int main(void)
{
    static int32_t x[24];
    float y = 1.5f;
    for (int i = 0; i < 24; i++)
        x[i] = i - 2;
    LAUNCH(shows(NULL, one, x, &y));
    tri_grid three = {3, 1, 1};
    LAUNCH(checks(NULL, three, x, 22));
    for (int i = 0; i < 24; i++)
        SAME("stored", i, x[i], i - 1);
    SAME("error", 0, checks(NULL, three, x, 15), TRI_ERROR_ASSERT);
    for (int i = 0; i < 24; i++)
        SAME("stored where it held", i, x[i], i < 16 ? i : i - 1);
    return finish("debug");
}

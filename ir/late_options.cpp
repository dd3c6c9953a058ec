// LLVM's options are registered when something asks for them.
#include "ir/late_options.h"

#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace llvm;

/* The libraries have some 2,000 options, whose constructors put each into a table by its name: a twentieth of a small
 * kernel's compilation, for a table that nobody reads there. The linker puts what is below in place of LLVM's functions
 * (WRAP in Makefile.in): options wait in a list until a command line is parsed or the table asked for. Options of
 * subcommands, such as those of MLIR's passes, come and go, and are registered at once. */
#define ADD(prefix) prefix##_ZN4llvm2cl6Option11addArgumentEv
#define PARSE(prefix)                                                                                                  \
    prefix##_ZN4llvm2cl23ParseCommandLineOptionsEiPKPKcNS_9StringRefEPNS_11raw_ostreamEPNS_3vfs10FileSystemES2_b
#define TABLE(prefix) prefix##_ZN4llvm2cl20getRegisteredOptionsERNS0_10SubCommandE
#define RESET(prefix) prefix##_ZN4llvm2cl25ResetAllOptionOccurrencesEv
#define DECLARE(prefix, attribute)                                                                                     \
    attribute void ADD(prefix)(cl::Option * option);                                                                   \
    attribute bool PARSE(prefix)(int count, const char *const *words, StringRef overview, raw_ostream *errors,         \
                                 vfs::FileSystem *files, const char *variable, bool is_long);                          \
    attribute void *TABLE(prefix)(cl::SubCommand * command);                                                           \
    attribute void RESET(prefix)();
extern "C" {
/* null where the linker has put nothing in their place */
DECLARE(__real_, __attribute__((weak)))
DECLARE(__wrap_, )
}

static bool is_registered; /* and so is each from now on */

/* In their order. Never destroyed: constructors come before ours, and options after. */
static std::vector<cl::Option *> &waiting()
{
    static auto *options = new std::vector<cl::Option *>;
    return *options;
}

static void registerAll()
{
    if (is_registered)
        return;
    is_registered = true;
    for (cl::Option *option : waiting())
        ADD(__real_)(option);
}

extern "C" {
void ADD(__wrap_)(cl::Option *option)
{
    if (is_registered || !option->Subs.empty())
        ADD(__real_)(option);
    else
        waiting().push_back(option);
}

bool PARSE(__wrap_)(int count, const char *const *words, StringRef overview, raw_ostream *errors,
                    vfs::FileSystem *files, const char *variable, bool is_long)
{
    registerAll();
    return PARSE(__real_)(count, words, overview, errors, files, variable, is_long);
}

void *TABLE(__wrap_)(cl::SubCommand *command)
{
    registerAll();
    return TABLE(__real_)(command);
}

void RESET(__wrap_)()
{
    registerAll();
    RESET(__real_)();
}
}

cl::Option *tri::findOption(StringRef name)
{
    if (!is_registered)
        for (cl::Option *option : waiting())
            if (option->ArgStr == name)
                return option;
    auto &options = cl::getRegisteredOptions();
    auto at = options.find(name);
    return at == options.end() ? nullptr : at->second;
}

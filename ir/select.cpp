// Instruction selection finds intrinsics by their numbers instead of trying all of them.
#include "llvm/CodeGen/ISDOpcodes.h"
#include "llvm/CodeGen/SelectionDAGISel.h"
#include "llvm/Support/LEB128.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

using namespace llvm;

/* TableGen makes a program of bytes of a target's patterns, which begins with a switch on a node's opcode. All
 * intrinsics have three opcodes, and behind these NVPTX's program tries the patterns of 500 to 1,100 intrinsics one
 * after the other, in which a kernel with many exponents spends a twentieth of its compilation. The linker puts what is
 * below in place of the interpreter (WRAP in Makefile.in), and that gives it, for a node that is an intrinsic, a
 * program of those patterns that are this intrinsic's, in their order. The others could not match. */
extern "C" {
#define INTERPRETER(prefix) prefix##_ZN4llvm16SelectionDAGISel16SelectCodeCommonEPNS_6SDNodeEPKhj
/* null where the linker has put nothing in its place */
__attribute__((weak)) void INTERPRETER(__real_)(SelectionDAGISel *self, SDNode *node, const uint8_t *table,
                                                unsigned size);
void INTERPRETER(__wrap_)(SelectionDAGISel *self, SDNode *node, const uint8_t *table, unsigned size);
}

namespace {
/* The interpreter's private index from opcodes to where their patterns begin: explicit instantiation may name it. */
template <std::vector<unsigned> SelectionDAGISel::*member> struct Reach {
    friend std::vector<unsigned> &offsetsOf(SelectionDAGISel &self) { return self.*member; }
};
template struct Reach<&SelectionDAGISel::OpcodeOffset>;
std::vector<unsigned> &offsetsOf(SelectionDAGISel &self);

struct Program {
    const uint8_t *table;
    unsigned opcode;
    uint64_t intrinsic;
    std::atomic<const uint8_t *> bytes; /* of this intrinsic's patterns; for ever. Null: the place is free */
    unsigned size;
};

/* Of all threads; a place is filled once, in order. When there are no more, nothing is kept. */
Program programs[512];
std::mutex filling;
} // namespace

static unsigned readNumber(const uint8_t *table, unsigned &at)
{
    unsigned length = 0;
    uint64_t value = decodeULEB128(table + at, &length);
    at += length;
    return static_cast<unsigned>(value);
}

/* The patterns of an opcode, at `at`: what records the node, and a scope, each of whose parts begins by asking for
 * an intrinsic, which is the node's operand `operand`. False: they are something else, or the intrinsic has none. */
static bool collectPatterns(const uint8_t *table, unsigned at, unsigned operand, uint64_t intrinsic,
                            std::vector<uint8_t> &out)
{
    const uint8_t check = operand ? SelectionDAGISel::OPC_CheckChild1Integer : SelectionDAGISel::OPC_CheckChild0Integer;
    if (table[at] == SelectionDAGISel::OPC_RecordNode)
        out.push_back(table[at++]);
    if (table[at] != SelectionDAGISel::OPC_Scope)
        return false;
    out.push_back(table[at++]);
    bool has = false;
    for (unsigned begin = at, size; (size = readNumber(table, at)) != 0; begin = at += size) {
        if (table[at] != check)
            return false;
        if (decodeSLEB128(table + at + 1) != static_cast<int64_t>(intrinsic))
            continue;
        out.insert(out.end(), table + begin, table + at + size);
        has = true;
    }
    out.push_back(0);
    return has;
}

static const Program *findProgram(const uint8_t *table, unsigned opcode, uint64_t intrinsic)
{
    for (const Program &at : programs) {
        if (!at.bytes.load(std::memory_order_acquire))
            break;
        if (at.intrinsic == intrinsic && at.opcode == opcode && at.table == table)
            return &at;
    }
    return nullptr;
}

static void addProgram(const uint8_t *table, unsigned opcode, uint64_t intrinsic, const std::vector<uint8_t> &bytes)
{
    auto *copy = new uint8_t[bytes.size()];
    std::copy(bytes.begin(), bytes.end(), copy);
    {
        std::lock_guard<std::mutex> lock(filling);
        Program *at = std::find_if(std::begin(programs), std::end(programs), [](const Program &p) { return !p.bytes; });
        if (at != std::end(programs) && !findProgram(table, opcode, intrinsic)) {
            at->table = table;
            at->opcode = opcode;
            at->intrinsic = intrinsic;
            at->size = static_cast<unsigned>(bytes.size());
            at->bytes.store(copy, std::memory_order_release);
            return;
        }
    }
    delete[] copy;
}

void INTERPRETER(__wrap_)(SelectionDAGISel *self, SDNode *node, const uint8_t *table, unsigned size)
{
    unsigned opcode = node->getOpcode(), operand = opcode != ISD::INTRINSIC_WO_CHAIN;
    std::vector<unsigned> &offsets = offsetsOf(*self);
    bool isIntrinsic = !operand || opcode == ISD::INTRINSIC_W_CHAIN || opcode == ISD::INTRINSIC_VOID;
    if (!isIntrinsic || offsets.size() <= opcode || !offsets[opcode])
        return INTERPRETER(__real_)(self, node, table, size);
    uint64_t intrinsic = node->getConstantOperandVal(operand);
    const Program *program = findProgram(table, opcode, intrinsic);
    if (!program) {
        std::vector<uint8_t> bytes;
        if (!collectPatterns(table, offsets[opcode], operand, intrinsic, bytes))
            return INTERPRETER(__real_)(self, node, table, size);
        addProgram(table, opcode, intrinsic, bytes);
        program = findProgram(table, opcode, intrinsic);
    }
    if (!program)
        return INTERPRETER(__real_)(self, node, table, size);
    unsigned whole = std::exchange(offsets[opcode], 0);
    INTERPRETER(__real_)(self, node, program->bytes, program->size);
    offsets[opcode] = whole;
}

/* The functions that rows of table.c name. */
#ifndef TRI_RUNTIME_PTX_INSTRUCTIONS_H
#define TRI_RUNTIME_PTX_INSTRUCTIONS_H

#include "runtime/sim/nvptx/ptx/program.h"

#define PTX_VALUE(name) uint64_t tri_ptx_##name(const ptx_instruction *i, const uint64_t *x);
#define PTX_RUN(name) void tri_ptx_##name(ptx_state *s, const ptx_instruction *i);

/* integer.c */
PTX_VALUE(int_add)
PTX_VALUE(int_sub) PTX_VALUE(int_mul) PTX_VALUE(int_mad) PTX_VALUE(int_mul24) PTX_VALUE(int_mad24) PTX_VALUE(int_div)
    PTX_VALUE(int_rem) PTX_VALUE(int_abs) PTX_VALUE(int_neg) PTX_VALUE(int_min) PTX_VALUE(int_max) PTX_VALUE(int_sad)
        PTX_VALUE(bit_and) PTX_VALUE(bit_or) PTX_VALUE(bit_xor) PTX_VALUE(bit_not) PTX_VALUE(bit_cnot) PTX_VALUE(shl)
            PTX_VALUE(shr) PTX_VALUE(shf_l) PTX_VALUE(shf_r) PTX_VALUE(popc) PTX_VALUE(clz) PTX_VALUE(brev)
                PTX_VALUE(bfind) PTX_VALUE(bfe) PTX_VALUE(bfi) PTX_VALUE(bmsk) PTX_VALUE(szext) PTX_VALUE(lop3)
                    PTX_VALUE(prmt) PTX_VALUE(dp4a) PTX_VALUE(dp2a) PTX_RUN(add_cc) PTX_RUN(addc) PTX_RUN(sub_cc)
                        PTX_RUN(subc) PTX_RUN(mad_cc) PTX_RUN(madc)

    /* float.c */
    PTX_VALUE(float_add) PTX_VALUE(float_sub) PTX_VALUE(float_mul) PTX_VALUE(float_fma) PTX_VALUE(float_div)
        PTX_VALUE(float_rcp) PTX_VALUE(float_sqrt) PTX_VALUE(float_rsqrt) PTX_VALUE(float_sin) PTX_VALUE(float_cos)
            PTX_VALUE(float_ex2) PTX_VALUE(float_lg2) PTX_VALUE(float_tanh) PTX_VALUE(float_abs) PTX_VALUE(float_neg)
                PTX_VALUE(float_copysign) PTX_VALUE(float_min) PTX_VALUE(float_max) PTX_VALUE(float_min3)
                    PTX_VALUE(float_max3) PTX_RUN(testp) PTX_RUN(setp) PTX_RUN(set) PTX_RUN(selp) PTX_RUN(slct)

    /* convert.c */
    PTX_RUN(cvt) PTX_RUN(cvt_pair) PTX_RUN(cvt_pack)

    /* machine.c */
    PTX_RUN(mov) PTX_RUN(bra) PTX_RUN(ld) PTX_RUN(st) PTX_RUN(atom) PTX_RUN(cas) PTX_RUN(red) PTX_RUN(cvta)
        PTX_RUN(nothing) PTX_RUN(policy) PTX_RUN(nanosleep) PTX_RUN(trap) PTX_RUN(bar) PTX_RUN(shfl) PTX_RUN(vote)
            PTX_RUN(activemask) PTX_RUN(match) PTX_RUN(redux) PTX_RUN(elect) PTX_RUN(warp_barrier) PTX_RUN(is_global)

#endif

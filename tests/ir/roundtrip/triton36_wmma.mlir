// Triton 3.6 counts the warps, and the tiles of a warp, of amd_wmma; later releases have bases.
// RUN: tritcc -x ttgir -passes= %s -o - | FileCheck %s
// CHECK-DAG: #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = {{\[\[0, 1\], \[1, 0\]\]}}}}>
// CHECK-DAG: #ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {register = {{\[\[0, 1\]\]}}, warp = {{\[\[0, 2\], \[0, 4\], \[1, 0\]\]}}}, instrShape = [16, 16, 32]}>
module attributes {"ttg.num-warps" = 4 : i32, x.a = #ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [2, 2]}>, x.b = #ttg.amd_wmma<{version = 3, warpsPerCTA = [2, 4], tilesPerWarp = [1, 2], instrShape = [16, 16, 32]}>} {
}

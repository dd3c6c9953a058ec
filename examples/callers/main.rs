// A kernel called from Rust: its object is linked, its function declared.
use std::ffi::{c_char, c_int, c_void, CStr};

extern "C" {
    fn add_kernel_run(stream: *mut c_void, x: *const f32, y: *const f32, out: *mut f32, n: i32) -> c_int;
    fn tri_strerror(error: c_int) -> *const c_char;
}

fn add(x: &[f32], y: &[f32], out: &mut [f32]) -> Result<(), String> {
    assert!(x.len() == y.len() && x.len() == out.len());
    let n = i32::try_from(x.len()).map_err(|e| e.to_string())?;
    match unsafe { add_kernel_run(std::ptr::null_mut(), x.as_ptr(), y.as_ptr(), out.as_mut_ptr(), n) } {
        0 => Ok(()),
        error => Err(unsafe { CStr::from_ptr(tri_strerror(error)) }.to_string_lossy().into_owned()),
    }
}

fn main() -> Result<(), String> {
    let x: Vec<f32> = (0..98432).map(|i| (i % 1000) as f32).collect();
    let y: Vec<f32> = (0..98432).map(|i| (i % 777) as f32 * 0.5).collect();
    let mut out = vec![-1.0f32; x.len()];
    add(&x, &y, &mut out)?;
    for i in 0..x.len() {
        if out[i] != x[i] + y[i] {
            return Err(format!("element {i} is {}, not {}", out[i], x[i] + y[i]));
        }
    }
    println!("Rust: {} elements are right", out.len());
    Ok(())
}

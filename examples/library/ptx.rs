// The PTX of a kernel through the C functions, without a crate: rustc ptx.rs -L DIR -ltritcc
use std::ffi::{c_char, c_int, c_void, CStr, CString};

#[repr(C)]
struct Context {
    _private: [u8; 0],
}

extern "C" {
    fn tritcc_create(out: *mut *mut Context) -> c_int;
    fn tritcc_destroy(context: *mut Context) -> c_int;
    fn tritcc_set_options(context: *mut Context, options: *const c_char) -> c_int;
    fn tritcc_set_input(context: *mut Context, name: *const c_char, data: *const c_void, size: usize) -> c_int;
    fn tritcc_compile(context: *mut Context) -> c_int;
    fn tritcc_get_output(context: *mut Context, kind: *const c_char, data: *mut *const c_void, size: *mut usize) -> c_int;
    fn tritcc_strerror(status: c_int) -> *const c_char;
}

const KERNEL: &str = "import triton
import triton.language as tl

@triton.jit
def double(p, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, 2 * tl.load(p + i))
";

fn check(status: c_int) -> Result<(), String> {
    match status {
        0 => Ok(()),
        _ => Err(unsafe { CStr::from_ptr(tritcc_strerror(status)) }.to_string_lossy().into_owned()),
    }
}

fn ptx() -> Result<String, String> {
    let (options, name, kind) = (CString::new("-arch=sm_80 -sig '*fp32:16, 128' -emit=ptx").unwrap(),
        CString::new("double.tri").unwrap(), CString::new("ptx").unwrap());
    let (mut context, mut data, mut size) = (std::ptr::null_mut(), std::ptr::null(), 0);
    unsafe {
        check(tritcc_create(&mut context))?;
        let result = check(tritcc_set_options(context, options.as_ptr()))
            .and_then(|_| check(tritcc_set_input(context, name.as_ptr(), KERNEL.as_ptr().cast(), KERNEL.len())))
            .and_then(|_| check(tritcc_compile(context)))
            .and_then(|_| check(tritcc_get_output(context, kind.as_ptr(), &mut data, &mut size)))
            .map(|_| String::from_utf8_lossy(std::slice::from_raw_parts(data.cast::<u8>(), size)).into_owned());
        check(tritcc_destroy(context))?;
        result
    }
}

fn main() {
    match ptx() {
        Ok(text) => print!("{text}"),
        Err(text) => {
            eprintln!("{text}");
            std::process::exit(1)
        }
    }
}

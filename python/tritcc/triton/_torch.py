"""What torch.compile must know: caches of its own, and workers that may have been started before the plug-in was.

Inductor's caches ask for triton_key(), so that says who compiles. Its pool of processes starts when Inductor is
imported; one that was started without TRITCC in its environment is ended here, and another starts when it is needed."""

import sys


def install(patch):
    from triton.runtime import cache

    compatible = sys.modules.get("torch._inductor.runtime.triton_compat")
    if compatible is not None and hasattr(compatible, "triton_key"):
        patch(compatible, "triton_key", lambda plain: cache.triton_key)
    forget()


def forget():
    """What torch computed from the old key, and workers that know nothing of the new one."""
    codecache = sys.modules.get("torch._inductor.codecache")
    helpers = sys.modules.get("torch.utils._triton")
    for owner, name in ((getattr(codecache, "CacheBase", None), "get_system"), (helpers, "triton_hash_with_backend")):
        clear = getattr(getattr(owner, name, None), "cache_clear", None)
        if clear is not None:
            clear()
    workers = sys.modules.get("torch._inductor.async_compile")
    if getattr(workers, "_pool_set", None):
        workers.shutdown_compile_workers()

// RUN: tritcc -x ttir -passes=rewrite-tensor-pointer -verify-diagnostics -allow-unregistered-dialect %s

tt.func public @unknown(%p: !tt.ptr<tensor<16xf32>>) {
  // expected-error@+1 {{a pointer to a block cannot pass through 'test.use' on this target}}
  "test.use"(%p) : (!tt.ptr<tensor<16xf32>>) -> ()
  tt.return
}

// RUN: tritcc -x ttir -passes=rewrite-tensor-descriptor-to-pointer -verify-diagnostics -allow-unregistered-dialect %s

tt.func public @unknown(%d: !tt.tensordesc<16x16xf32>) {
  // expected-error@+1 {{a tensor descriptor cannot pass through 'test.use' on this target}}
  "test.use"(%d) : (!tt.tensordesc<16x16xf32>) -> ()
  tt.return
}

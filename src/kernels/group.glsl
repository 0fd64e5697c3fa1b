// Values combined across the invocations of a workgroup of 256, in an order that is the same for every subgroup width.
//
//   #define GROUP_VALUE float
//   float group_shuffle(float value, uint distance) { return subgroupShuffleXor(value, distance); }
//   float group_combine(float a, float b) { return a + b; }
//   #include "group.glsl"
//   total = group_fold(value, 1, LANES);   // of the LANES neighbours that hold this invocation
//
// group_combine gives the same for (a, b) and (b, a). Include after common.glsl.
#define GROUP 256
layout(local_size_x = GROUP) in;

// The invocation's number in the group: subgroups hold neighbours.
#define THREAD (gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID)

shared GROUP_VALUE group_exchange[2 * GROUP];
uint group_turn = 0;  // the half of it that is free

// Combines the values of the invocations whose numbers differ in bits from `first` up to below `end` (powers of two);
// all of them get the result. Every invocation of the group takes part.
GROUP_VALUE group_fold(GROUP_VALUE value, uint first, uint end) {
  for (uint distance = first; distance < end; distance <<= 1) {
    GROUP_VALUE other;
    if (distance < gl_SubgroupSize) {
      other = group_shuffle(value, distance);
    } else {
      // Two halves by turns: whoever still reads the one of the step before is past this step's barrier at the next.
      group_exchange[group_turn + THREAD] = value;
      barrier();
      other = group_exchange[group_turn + (THREAD ^ distance)];
      group_turn ^= GROUP;
    }
    value = group_combine(value, other);
  }
  return value;
}

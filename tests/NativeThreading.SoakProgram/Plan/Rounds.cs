namespace NativeThreading.SoakProgram.Plan;

/// <summary>The life of one pool.</summary>
/// <param name="Shape">How it is set up.</param>
/// <param name="Steps">What happens on it, in this order.</param>
/// <param name="Ending">How it ends.</param>
/// <param name="EndsBeforeStep">Another thread ends it when this step begins, so that the rest of them races the end; the
/// number of steps for an end after all of them.</param>
/// <param name="Seed">Of what the end rolls.</param>
internal sealed record PoolRoundPlan(PoolShape Shape, Step[] Steps, PoolEnding Ending, int EndsBeforeStep, ulong Seed);

/// <summary>The life of one loop.</summary>
/// <inheritdoc cref="PoolRoundPlan"/>
/// <param name="HasSmallStack">Whether its thread has the smallest stack.</param>
/// <param name="StartsFail">Whether now and then its thread cannot be started.</param>
/// <param name="Steps">What happens on it, in this order.</param>
/// <param name="Ending">How it ends.</param>
/// <param name="EndsBeforeStep">As with a pool.</param>
/// <param name="Seed">Of what the end rolls.</param>
internal sealed record LoopRoundPlan(bool HasSmallStack, bool StartsFail, Step[] Steps, LoopEnding Ending, int EndsBeforeStep, ulong Seed);

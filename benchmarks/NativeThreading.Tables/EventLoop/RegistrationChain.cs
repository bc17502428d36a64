using System.IO.Pipes;

namespace NativeThreading.Tables.EventLoops;

/// <summary>Registers a pipe at which nothing happens, and removes it; so many times a turn.</summary>
internal sealed class RegistrationChain() : TurnChain("pipe-add-del", executionsPerTurn: Count, iterationsPerTurn: Count)
{
    private const int Count = 64;

    private static readonly Action<object?> s_turn = static chain => ((RegistrationChain)chain!).Turn();
    private static readonly Action<EventLoopReadiness, object?> s_ready = static (ready, _) =>
        throw new InvalidOperationException($"Nothing was written, and the pipe is ready for {ready}.");

    private readonly AnonymousPipeServerStream _pipe = new(PipeDirection.In);

    public override void Dispose()
    {
        base.Dispose();
        _pipe.Dispose();
    }

    protected override void StartTurn() => Loop.UnsafePost(s_turn, this);

    private void Turn()
    {
        for (int i = 0; i < Count; i++)
        {
            Loop.Register(_pipe.SafePipeHandle, EventLoopInterest.Read, s_ready, this).Dispose();
            Executed++;
        }

        EndTurn();
    }
}

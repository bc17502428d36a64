using System.Buffers;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A byte, 1, whose pinning waits for the test: a gathered write that has started and not reached the kernel.</summary>
internal sealed class HeldMemory : MemoryManager<byte>
{
    private readonly byte[] _byte = [1];

    public ManualResetEventSlim Pinned { get; } = new();

    public ManualResetEventSlim Go { get; } = new();

    public override Span<byte> GetSpan() => _byte;

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        Pinned.Set();
        Deadline.Wait(Go);
        return _byte.AsMemory(elementIndex).Pin();
    }

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
        Go.Set();
        Pinned.Dispose();
        Go.Dispose();
    }
}

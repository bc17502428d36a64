using System.Buffers;

namespace NativeThreading.Tests.EventLoops;

/// <summary>Calls on a descriptor, with an exception if the connection has failed, and <see langword="false"/> if the call would have blocked.</summary>
internal static class DescriptorCalls
{
    public static bool TryRead(this EventLoopRegistration registration, Span<byte> buffer, out int count) =>
        Succeeded(registration.Read(buffer), out count);

    public static bool TryWrite(this EventLoopRegistration registration, ReadOnlySpan<byte> buffer, out int count) =>
        Succeeded(registration.Write(buffer), out count);

    public static bool TryWrite(this EventLoopRegistration registration, in ReadOnlySequence<byte> buffers, out long count)
    {
        bool succeeded = Succeeded(registration.Write(buffers), out int written);
        count = written;
        return succeeded;
    }

    private static bool Succeeded(EventLoopIOResult result, out int count)
    {
        result.ThrowIfFailed();
        count = (int)result.Count;
        return result.IsSuccess;
    }
}

using System.Net.Sockets;
using Microsoft.Win32.SafeHandles;
using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>What cannot be registered, by its named exception; the loop keeps running, and the handle is not held.</summary>
public sealed class RegistrationRefusedTests : DescriptorTest
{
    private static readonly Action<EventLoopReadiness, object?> s_handler = static (_, _) => Assert.Fail("never told");

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void SecondRegistration(bool onLoop)
    {
        using var pair = Pair.OfSockets();
        var told = new Told();
        EventLoopRegistration registration = Watch(pair.Here, Read | EdgeTriggered, told);

        var exception = Refused<InvalidOperationException>(onLoop, () => Loop.Register(pair.Here, Write, s_handler, null));

        Assert.Contains($"{pair.Here.Number} is already registered", exception.Message, StringComparison.Ordinal);
        pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, told.Next()); // the first one is as it was
        OnLoop(registration.Dispose);
        AssertNotHeld(pair.Here);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void InvalidHandle(bool onLoop)
    {
        using var invalid = new Descriptor(-1);
        Assert.Equal("handle", Refused<ArgumentException>(onLoop, () => Loop.Register(invalid, Read, s_handler, null)).ParamName);
    }

    [Theory]
    [InlineData(-2)]
    [InlineData(int.MinValue)]
    [InlineData(int.MaxValue)]
    [InlineData(0x1_0000_0000L)]
    [InlineData(long.MaxValue)]
    public void HandleThatIsNoDescriptor(long value)
    {
        using var handle = new NotADescriptor((nint)value);
        Assert.Equal("handle", Refused<ArgumentException>(onLoop: true, () => Loop.Register(handle, Read, s_handler, null)).ParamName);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ClosedHandle(bool onLoop)
    {
        var pair = Pair.OfSockets();
        pair.Dispose();
        Refused<ObjectDisposedException>(onLoop, () => Loop.Register(pair.Here, Read, s_handler, null));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ClosedSocket(bool onLoop)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        SafeSocketHandle handle = socket.SafeHandle;
        socket.Dispose();
        Refused<ObjectDisposedException>(onLoop, () => Loop.Register(handle, Read, s_handler, null));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void NumberThatIsNotOpen(bool onLoop)
    {
        using var pair = Pair.OfSockets();
        var handle = new Descriptor(Libc.DuplicateAbove(pair.Here.Number, 5_000));
        Libc.Close(handle.Number);
        var exception = Refused<ArgumentException>(onLoop, () => Loop.Register(handle, Read, s_handler, null));
        handle.SetHandleAsInvalid();
        Assert.Contains("not open", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void RegularFile(bool onLoop)
    {
        string path = Path.GetTempFileName();
        using (SafeFileHandle file = File.OpenHandle(path, options: FileOptions.DeleteOnClose))
        {
            var exception = Refused<ArgumentException>(onLoop, () => Loop.Register(file, Read, s_handler, null));
            Assert.Equal("handle", exception.ParamName);
            Assert.Contains("cannot be polled", exception.Message, StringComparison.Ordinal);
            file.Dispose();
            Assert.False(File.Exists(path)); // closed: the refused registration does not hold it
        }
    }

    [Theory]
    [InlineData(1 << 2)]
    [InlineData(1 << 3)]
    [InlineData(1 << 4)]
    [InlineData(1 << 6)]
    [InlineData(int.MinValue)]
    public void UnknownFlags(int interest)
    {
        using var pair = Pair.OfSockets();
        var exception = Refused<ArgumentOutOfRangeException>(
            onLoop: false, () => Loop.Register(pair.Here, (EventLoopInterest)interest, s_handler, null));
        Assert.Equal("interest", exception.ParamName);
        AssertNotHeld(pair.Here);
    }

    [Fact]
    public void Null()
    {
        using var pair = Pair.OfSockets();
        Assert.Equal("handle", Refused<ArgumentNullException>(false, () => Loop.Register(null!, Read, s_handler, null)).ParamName);
        Assert.Equal("handler", Refused<ArgumentNullException>(false, () => Loop.Register(pair.Here, Read, null!, null)).ParamName);
    }

    private T Refused<T>(bool onLoop, Action register)
        where T : Exception
    {
        T exception = onLoop ? OnLoop(() => Assert.Throws<T>(register)) : Assert.Throws<T>(register);
        AwaitLook(); // the loop runs and watches
        return exception;
    }

    private static void AssertNotHeld(Descriptor descriptor)
    {
        descriptor.Dispose();
        Deadline.Until(() => descriptor.IsReleased);
    }

    private sealed class NotADescriptor : SafeHandleZeroOrMinusOneIsInvalid
    {
        public NotADescriptor(nint value)
            : base(ownsHandle: false) => SetHandle(value);

        protected override bool ReleaseHandle() => true;
    }
}

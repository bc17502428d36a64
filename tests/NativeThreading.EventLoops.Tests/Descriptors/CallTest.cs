using System.Runtime.InteropServices;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>For tests of the calls on a descriptor, which need a registration but nothing to be told.</summary>
public abstract class CallTest : DescriptorTest
{
    protected EventLoopRegistration Register(SafeHandle handle) =>
        Loop.Register(handle, EventLoopInterest.EdgeTriggered, static (_, _) => { }, null);

    /// <summary>Calls on the loop, with the IOException that it throws.</summary>
    protected IOException Fails(Action call) => OnLoop(() => Assert.Throws<IOException>(call));

    /// <summary>Bytes in which any shift or gap shows.</summary>
    protected static byte[] Pattern(int length, int first = 0)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)((first + i) % 251);
        }

        return bytes;
    }
}

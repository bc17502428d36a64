using System.Runtime.InteropServices;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A descriptor in a handle that tells whether it has been let go.</summary>
internal sealed class Descriptor : SafeHandle
{
    private int _isReleased;

    public Descriptor(int number)
        : base(-1, ownsHandle: true) => SetHandle(number);

    public override bool IsInvalid => handle == -1;

    /// <summary>The number, whether it is open or not.</summary>
    public int Number => (int)handle;

    /// <summary>The last holder has closed it, and the number is free.</summary>
    public bool IsReleased => Volatile.Read(ref _isReleased) != 0;

    /// <summary>What the registrations of a loop cannot see: the number is closed beneath the handle.</summary>
    public void CloseBehindItsBack()
    {
        Libc.Close(Number);
        SetHandleAsInvalid();
    }

    public void Write(params ReadOnlySpan<byte> bytes) => Assert.Equal(bytes.Length, Libc.Write(Number, bytes));

    /// <summary>All there is to read at this moment.</summary>
    public byte[] ReadAll()
    {
        var all = new List<byte>();
        byte[] buffer = new byte[64 * 1024];
        for (long count; (count = Libc.Read(Number, buffer)) > 0;)
        {
            all.AddRange(buffer.AsSpan(0, (int)count));
        }

        return [.. all];
    }

    /// <summary>Writes until no more is taken. How many bytes were.</summary>
    public long Fill()
    {
        byte[] buffer = new byte[64 * 1024];
        long all = 0;
        for (int size = buffer.Length; size > 0;)
        {
            long count = Libc.Write(Number, buffer.AsSpan(0, size));
            all += Math.Max(count, 0);
            size = count < 0 ? size / 2 : size;
        }

        return all;
    }

    protected override bool ReleaseHandle()
    {
        Libc.Close(Number);
        Volatile.Write(ref _isReleased, 1);
        return true;
    }
}

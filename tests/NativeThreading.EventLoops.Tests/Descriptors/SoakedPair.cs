namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A pair with a stream of numbered bytes in it. Written to and changed by one thread, and read by the loop.</summary>
internal sealed class SoakedPair(EventLoop loop, int seed) : IDisposable
{
    private const int Period = 251;

    private readonly Pair _pair = Pair.OfSockets();
    private readonly Random _random = new(seed);
    private readonly byte[] _incoming = new byte[1_500];
    private readonly byte[] _outgoing = new byte[2_000];
    private EventLoopRegistration? _registration;
    private long _received;

    public long Sent { get; private set; }

    public long Received => Volatile.Read(ref _received);

    /// <summary>A byte was missing, or came twice.</summary>
    public bool IsGarbled { get; private set; }

    public void Dispose() => _pair.Dispose();

    public void Write(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _outgoing[i] = (byte)((Sent + i) % Period);
        }

        Sent += Math.Max(0, Libc.Write(_pair.There.Number, _outgoing.AsSpan(0, count)));
    }

    /// <summary>Registers anew, right after the end of the registration before.</summary>
    public void Register(EventLoopInterest interest)
    {
        Unregister();
        Volatile.Write(ref _registration, loop.Register(_pair.Here, interest, Handle, null));
    }

    public void Unregister() => Volatile.Read(ref _registration)?.Dispose();

    public void TrySetInterest(EventLoopInterest interest)
    {
        try
        {
            if (Volatile.Read(ref _registration) is { } registration)
            {
                registration.Interest = interest;
            }
        }
        catch (ObjectDisposedException)
        {
        }
    }

    private void Handle(EventLoopReadiness ready, object? state)
    {
        // The registration that tells is the one that there is, or one whose successor is being made.
        if (Volatile.Read(ref _registration) is not { } registration)
        {
            return;
        }

        try
        {
            while (registration.TryRead(_incoming, out int count))
            {
                for (int i = 0; i < count; i++)
                {
                    IsGarbled |= _incoming[i] != (_received + i) % Period;
                }

                Volatile.Write(ref _received, _received + count);
            }

            if (_random.Next(16) == 0)
            {
                registration.Interest = EventLoopInterest.None;
            }
            else if (_random.Next(16) == 0)
            {
                registration.Dispose();
            }
        }
        catch (ObjectDisposedException)
        {
        }
    }
}

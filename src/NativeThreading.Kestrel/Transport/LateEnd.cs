using System.Diagnostics.CodeAnalysis;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// A client has ended its side, and the application has something of it left to read. It is told of the end when it has read that, or when it
/// has read nothing for a second: then it waits, maybe for this client.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Its last callback disposes the timer, and it has no other owner.")]
internal sealed class LateEnd
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    private readonly LoopConnection _connection;
    private readonly EventLoopTimer _timer;
    private int _reads;

    private LateEnd(LoopConnection connection)
    {
        _connection = connection;
        _reads = connection.Reads;
        _timer = new EventLoopTimer(connection.Loop, static end => ((LateEnd)end!).Look(), this);
    }

    /// <summary>On the loop.</summary>
    public static void Await(LoopConnection connection)
    {
        try
        {
            var end = new LateEnd(connection);
            end._timer.Arm(s_patience);
        }
        catch (ObjectDisposedException)
        {
            connection.TellClosed(); // the loop has gone
        }
    }

    private void Look()
    {
        if (!_connection.IsTold && _reads != _connection.Reads)
        {
            _reads = _connection.Reads;
            _timer.Arm(s_patience);
            return;
        }

        _connection.TellClosed();
        _timer.Dispose();
    }
}

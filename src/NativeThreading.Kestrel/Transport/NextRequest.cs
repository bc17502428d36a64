using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Where the reads of a connection complete whose application runs by what is learned, and so where its next request begins: on the loop, or on
/// the runtime's pool, where its last ones have ended alone. What Kestrel reads elsewhere, as a body, completes on the loop. Only the one
/// reader asks; the loop schedules.
/// </summary>
/// <param name="application">Where all else of the application is scheduled.</param>
/// <param name="loop">Of the connection.</param>
internal sealed class NextRequest(ConnectionScheduler application, SynchronizationContext loop) : PipeScheduler
{
    private readonly Trend _ends = new(Learning.ProofOfEnds);
    private bool _beginsElsewhere;

    /// <summary>Before a read.</summary>
    /// <param name="connection">Which Kestrel reads from by itself; else TLS does, or what else was put in front.</param>
    public void Expect(ConnectionContext connection)
    {
        bool begins = EndOfRequest.IsHere && Thread.CurrentThread.IsThreadPoolThread && ReferenceEquals(connection.Transport, connection) && EndsAlone();
        if (begins != _beginsElsewhere)
        {
            Volatile.Write(ref _beginsElsewhere, begins);
        }
    }

    public override void Schedule(Action<object?> action, object? state)
    {
        if (Volatile.Read(ref _beginsElsewhere) && application.IsOnLoop)
        {
            RuntimePoolStart.Queue(loop, _ends, action, state);
        }
        else
        {
            application.Schedule(action, state);
        }
    }

    private bool EndsAlone()
    {
        _ends.Add(Pace.IsAlone(_ends.Holds));
        return _ends.Holds;
    }
}

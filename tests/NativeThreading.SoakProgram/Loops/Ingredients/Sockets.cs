using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Loops.Ingredients;

/// <summary>
/// Sockets that are watched, read, closed, and whose numbers the next ones get: each byte arrives once, and no handler gets
/// an event of the socket before.
/// </summary>
internal sealed class Sockets : LoopIngredient
{
    private const int Most = 600;

    public override string Name => "sockets";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        for (int i = Math.Min(Count(step, dice), 20); i > 0; i--)
        {
            var watched = new Watched(round, Name, (byte)dice.Next(256), dice.Between(1, Most));
            bool edges = dice.OneIn(3);
            bool isClosedAtOnce = dice.OneIn(4);
            if (!watched.TryRegister(edges ? EventLoopInterest.Read | EventLoopInterest.EdgeTriggered : EventLoopInterest.Read))
            {
                continue;
            }

            watched.Send(dice.Between(1, Most));
            if (isClosedAtOnce)
            {
                watched.Close(); // its numbers are free for the next one, as soon as the loop has let go
            }
            else
            {
                watched.SendRest();
            }
        }
    }

    /// <summary>A pair of sockets with a number of equal bytes to come.</summary>
    private sealed class Watched(LoopRound round, string name, byte value, int bytes)
    {
        private readonly SocketPair _pair = round.Own(new SocketPair());
        private readonly Ticket _ticket = round.Expect(name);
        private EventLoopRegistration? _registration;
        private int _sent;
        private int _received;

        public bool TryRegister(EventLoopInterest interest)
        {
            try
            {
                if (round.IsNeverStopped)
                {
                    Register(interest);
                }
                else
                {
                    // A stop counts the callback that registers among those it drops, so that it has a ticket of its own.
                    round.FollowDroppable(name, ticket => round.Loop.InvokeAsync(() => Round.Run(ticket, () => Register(interest))))?.Wait();
                }
            }
            catch (Exception exception) when (round.IsExpected(exception))
            {
                // The loop ends; the ticket lapses.
            }

            return _registration is not null;
        }

        private void Register(EventLoopInterest interest) =>
            Volatile.Write(ref _registration, round.Loop.Register(_pair.Here, interest, Ready, null));

        public void Send(int most)
        {
            Span<byte> buffer = stackalloc byte[Math.Min(most, bytes - _sent)];
            buffer.Fill(value);
            _sent += _pair.Write(buffer);
        }

        public void SendRest()
        {
            while (_sent < bytes)
            {
                Send(bytes);
            }
        }

        public void Close()
        {
            _registration!.Dispose();
            _pair.Dispose();
            if (_ticket.IsOpen)
            {
                _ticket.TryRefuse(); // unless the rest has just arrived
            }
        }

        private void Ready(EventLoopReadiness ready, object? state)
        {
            if (Volatile.Read(ref _registration) is not { } registration)
            {
                return; // before Register has returned; level-triggered, it comes again
            }

            Span<byte> buffer = stackalloc byte[100];
            try
            {
                EventLoopIOResult read;
                while ((read = registration.Read(buffer)).Count > 0)
                {
                    _received += (int)read.Count;
                    if (buffer[..(int)read.Count].ContainsAnyExcept(value) || _received > bytes)
                    {
                        round.Account.Report($"{name}: {_received} of {bytes} bytes, which were not all {value}");
                    }
                }

                read.ThrowIfFailed();
            }
            catch (ObjectDisposedException)
            {
                return; // the track has closed it while this handler ran
            }

            if (_received == bytes && _ticket.TryRun())
            {
                registration.Dispose();
            }
        }
    }
}

using NativeThreading.Workloads.Soak.Accounts;
using NativeThreading.Workloads.Soak.Plan;

namespace NativeThreading.Tables.Soak.Loops.Ingredients;

/// <summary>Sockets that go to and fro between the round's loop and another one, while each byte that they bring is written back from
/// outside: every byte arrives once, unless the round's loop ends, which ends what is on it.</summary>
internal sealed class MovingSockets : LoopIngredient
{
    private const int Most = 6;

    public override string Name => "moving sockets";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        using var other = new EventLoop(new EventLoopOptions { Name = "soak-other", HandsOverWhenBlocked = dice.OneIn(2) });
        for (int i = Math.Min(Count(step, dice), Most); i > 0; i--)
        {
            var traveller = new Traveller(round, other, round.Expect(Name), dice.Between(1, 200), dice.OneIn(2));
            traveller.Travel(dice.Between(1, 12));
        }
    }

    private sealed class Traveller
    {
        private readonly LoopRound _round;
        private readonly EventLoop _other;
        private readonly Ticket _ticket;
        private readonly int _bytes;
        private readonly SocketPair _pair;
        private readonly EventLoopRegistration _registration;
        private int _inside;
        private int _received;

        public Traveller(LoopRound round, EventLoop other, Ticket ticket, int bytes, bool edges)
        {
            (_round, _other, _ticket, _bytes, _pair) = (round, other, ticket, bytes, round.Own(new SocketPair()));
            _registration = other.Register(
                _pair.Here, edges ? EventLoopInterest.Read | EventLoopInterest.EdgeTriggered : EventLoopInterest.Read, Ready, null);
        }

        public void Travel(int moves)
        {
            try
            {
                int sent = 0;
                for (int move = 0; move < moves; move++)
                {
                    Task moved = _registration.MoveToAsync(move % 2 == 0 ? _round.Loop : _other);
                    sent += _pair.Write(new byte[Math.Min(20, _bytes - sent)]);
                    _registration.TryWrite([1], out _); // wherever it is
                    moved.GetAwaiter().GetResult();
                }

                sent += _pair.Write(new byte[_bytes - sent]);
                _registration.MoveToAsync(_other).GetAwaiter().GetResult(); // which lives until the end of this
                _round.Soak.Until(() => !_ticket.IsOpen);
            }
            catch (Exception exception) when (_round.IsExpected(exception))
            {
                _ticket.TryRefuse(); // the round's loop has ended, with what was on it
            }

            _registration.DisposeAsync().AsTask().GetAwaiter().GetResult();
            _pair.Dispose();
        }

        private void Ready(EventLoopReadiness ready, object? state)
        {
            if (Interlocked.Increment(ref _inside) != 1)
            {
                _round.Account.Report($"{_ticket.Kind}: two calls at once");
            }

            Span<byte> buffer = stackalloc byte[100];
            try
            {
                while (Volatile.Read(ref _received) < _bytes && _registration.TryRead(buffer, out int count) && count > 0)
                {
                    _received += count;
                }
            }
            catch (ObjectDisposedException)
            {
                // The end of its loop has come first.
            }

            Interlocked.Decrement(ref _inside);
            if (_received == _bytes)
            {
                _ticket.TryRun();
            }
        }
    }
}

using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;
using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.Kestrel.Transport;

// How the application reads.
internal sealed partial class LoopConnection
{
    /// <summary>The application's end of the input. Kestrel starts each connection on the built-in pool, and would serve a request there that has
    /// arrived by then. So the first read never completes at once, but where the application runs. Later reads do so by themselves, because the
    /// awaits of the application return there.</summary>
    /// <remarks>An application on a loop may process the input of one client for a tenth of a millisecond without a pause. Then a read completes
    /// after the next poll, and other connections have their turn. A read that must not complete at once is a value task source. A task would not do:
    /// if its awaiter has no context, and the thread that completes it has one, the awaiter continues on the built-in pool.</remarks>
    private sealed class Reader(LoopConnection connection, PipeReader pipe, PipeScheduler scheduler) : PipeReader, IValueTaskSource<ReadResult>
    {
        private const int UpToNothing = -1, UpToTheEnd = -2;
        private const int ReadsPerLook = 4; // completed reads per read of the clock; a power of two
        private const long LongestTurn = 100_000; // nanoseconds, which are ticks of the stopwatch on Linux

        private static readonly Action<object?> s_resume = static reader => ((Reader)reader!).Resume();

        private bool _hasEntered = scheduler == PipeScheduler.ThreadPool; // where Kestrel starts
        private int _handshakeReads = 8; // within so many a TLS handshake is complete
        private int _count, _readUpTo; // the value of _received of which everything is read, or a constant
        private int _turnReads;
        private long _turnBegan; // 0: set at the next read of the clock

        // The read that must not complete at once. There is one at a time.
        private ConfiguredValueTaskAwaitable<ReadResult>.ConfiguredValueTaskAwaiter _read;
        private Action<object?>? _continuation;
        private object? _state;
        private bool _isComplete, _endsTurn, _waitsForPoll;

        /// <summary>Whether the application waits for its next turn and has unread input.</summary>
        public bool WaitsForPoll => Volatile.Read(ref _waitsForPoll);

        /// <summary>How often the application has read.</summary>
        public int Count => Volatile.Read(ref _count);

        /// <summary>Whether nothing is left to read. Exact once the connection receives no more.</summary>
        public bool HasReadAll => Volatile.Read(ref _readUpTo) is var upTo && (upTo == UpToTheEnd || upTo == Volatile.Read(ref connection._received));

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        {
            if (_handshakeReads > 0)
            {
                _handshakeReads--;
                connection.CheckAgreement();
            }

            connection._next?.Expect(connection);
            return Place(pipe.ReadAsync(cancellationToken));
        }

        /// <summary>Finds nothing before the first read: the caller would continue where it is.</summary>
        public override bool TryRead(out ReadResult result)
        {
            result = default;
            return _hasEntered && pipe.TryRead(out result);
        }

        public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
        {
            int received = Volatile.Read(ref connection._received); // before the position is examined: later bytes have a higher number
            bool isLast = IsLast(examined);
            pipe.AdvanceTo(consumed, examined);
            Volatile.Write(ref _count, _count + 1);
            Volatile.Write(ref _readUpTo, isLast ? received : UpToNothing);
            connection.HasRead();
        }

        public override void CancelPendingRead() => pipe.CancelPendingRead();

        public override void Complete(Exception? exception = null)
        {
            pipe.Complete(exception);
            Volatile.Write(ref _readUpTo, UpToTheEnd);
            connection.HasRead();
        }

        ReadResult IValueTaskSource<ReadResult>.GetResult(short token) => _read.GetResult();

        ValueTaskSourceStatus IValueTaskSource<ReadResult>.GetStatus(short token) =>
            Volatile.Read(ref _isComplete) ? ValueTaskSourceStatus.Succeeded : ValueTaskSourceStatus.Pending; // or GetResult throws

        void IValueTaskSource<ReadResult>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        {
            _state = state;
            _continuation = (flags & ValueTaskSourceOnCompletedFlags.FlowExecutionContext) != 0 && ExecutionContext.Capture() is { } context
                ? state => ExecutionContext.Run(context, new ContextCallback(continuation), state)
                : continuation;
            if (!_read.IsCompleted)
            {
                _read.UnsafeOnCompleted(Resume); // the pipe completes it on the scheduler
            }
            else if (_endsTurn)
            {
                Volatile.Write(ref _waitsForPoll, true); // only while a continuation waits; otherwise the connection would receive nothing
                connection._loop.ScheduleAfterPoll(s_resume, this);
            }
            else
            {
                scheduler.Schedule(s_resume, this);
            }
        }

        protected override ValueTask<ReadResult> ReadAtLeastAsyncCore(int minimumSize, CancellationToken cancellationToken)
        {
            connection._next?.Expect(connection);
            return Place(pipe.ReadAtLeastAsync(minimumSize, cancellationToken));
        }

        /// <summary>Whether the pipe has no bytes after that position.</summary>
        private static bool IsLast(SequencePosition position) =>
            position.GetObject() is not ReadOnlySequenceSegment<byte> block || (block.Next is null && block.Memory.Length == position.GetInteger());

        private ValueTask<ReadResult> Place(ValueTask<ReadResult> read)
        {
            if (!_hasEntered)
            {
                _hasEntered = true;
                return Later(read, endsTurn: false);
            }

            if (!connection._loop.HandsOver)
            {
                return read; // the application runs on no loop
            }

            if (!read.IsCompleted)
            {
                _turnBegan = 0; // the application waits for the client
                return read;
            }

            bool endsTurn = EndsTurn();
            return endsTurn || HasLeft() ? Later(read, endsTurn) : read;
        }

        private ValueTask<ReadResult> Later(ValueTask<ReadResult> read, bool endsTurn)
        {
            (_read, _endsTurn) = (read.ConfigureAwait(false).GetAwaiter(), endsTurn);
            Volatile.Write(ref _isComplete, false);
            return new ValueTask<ReadResult>(this, 0);
        }

        private void Resume()
        {
            Volatile.Write(ref _waitsForPoll, false);
            Volatile.Write(ref _isComplete, true);
            _continuation!(_state);
        }

        private bool EndsTurn()
        {
            if ((++_turnReads & (ReadsPerLook - 1)) != 0)
            {
                return false;
            }

            long now = Stopwatch.GetTimestamp(), began = _turnBegan == 0 ? now : _turnBegan;
            bool ends = now - began >= LongestTurn && connection._loop.Loop.IsInLoop;
            _turnBegan = ends ? 0 : began;
            return ends;
        }

        /// <summary>Whether a request has ended on the built-in pool, or on a thread that lost the loop because a handler blocked. The next one starts on the loop.</summary>
        private bool HasLeft()
        {
            EventLoop loop = connection._loop.Loop;
            return !loop.IsInLoop && (EndOfRequest.IsHere || (!Thread.CurrentThread.IsThreadPoolThread
                && (SynchronizationContext.Current is EndOfRequest || SynchronizationContext.Current == loop.SynchronizationContext)));
        }
    }
}

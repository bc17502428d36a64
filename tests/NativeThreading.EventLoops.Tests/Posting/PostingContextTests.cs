using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Posting;

/// <summary>The execution context flows to a callback, or does not, as with the built-in pool (T34).</summary>
public sealed class PostingContextTests : IDisposable
{
    private readonly AsyncLocal<string?> _local = new();
    private readonly EventLoop _loop = new();

    public void Dispose() => _loop.Dispose();

    [Theory, CombinatorialBooleans]
    public void T34_Post_FlowsTheContext_UnsafePostDoesNot(bool isUnsafe, bool fromLoop, bool suppressed)
    {
        string? seen = Seen(fromLoop, () =>
        {
            _local.Value = "caller";
            if (suppressed)
            {
                ExecutionContext.SuppressFlow();
            }
        }, isUnsafe);
        Assert.Equal(isUnsafe || suppressed ? null : "caller", seen);
    }

    [Theory, CombinatorialBooleans]
    public async Task T34_Operations_FlowTheContext(bool fromLoop)
    {
        Task<string?> Invoke()
        {
            _local.Value = "caller";
            return _loop.InvokeAsync<string?>(async () =>
            {
                await Task.Yield();
                return _local.Value;
            });
        }

        Task<string?> operation = null!;
        StartGate.Run(1, _ => operation = fromLoop ? _loop.Call(Invoke) : Invoke());
        Assert.Equal("caller", await Deadline.For(operation));
        Assert.Null(_loop.Call(() => _local.Value));
    }

    [Fact]
    public void T34_TheContextIsThatOfThePostingMoment()
    {
        using var first = new Observation<string?>(() => _local.Value);
        using var second = new Observation<string?>(() => _local.Value);
        StartGate.Run(1, _ =>
        {
            _local.Value = "first";
            _loop.Post(first.Observe, null);
            _local.Value = "second";
            _loop.Post(second.Observe, null);
            _local.Value = "later";
        });
        Assert.Equal(("first", "second"), (first.Result, second.Result));
    }

    [Theory, CombinatorialBooleans]
    public void T35_Culture_FlowsWithTheContext(bool isUnsafe)
    {
        using var seen = new Observation<string>(() => CultureInfo.CurrentCulture.NumberFormat.NumberDecimalSeparator);
        StartGate.Run(1, _ =>
        {
            var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
            culture.NumberFormat.NumberDecimalSeparator = "!";
            CultureInfo.CurrentCulture = culture;
            Post(seen.Observe, isUnsafe);
        });
        Assert.Equal(isUnsafe, seen.Result != "!");
    }

    [Fact]
    public void T34_TheLoopDoesNotInheritTheContextItWasCreatedIn()
    {
        string? seen = "nothing";
        StartGate.Run(1, _ =>
        {
            _local.Value = "creator";
            using var loop = new EventLoop();
            seen = loop.Call(() => _local.Value);
        });
        Assert.Null(seen);
    }

    [Fact]
    public void T34_ChangeNotifications_ArriveBeforeAndAfterTheCallback()
    {
        var changes = new List<string>();
        var local = new AsyncLocal<string?>(change =>
        {
            if (change.ThreadContextChanged && _loop.IsInLoop)
            {
                changes.Add($"{change.PreviousValue ?? "null"} to {change.CurrentValue ?? "null"}");
            }
        });
        StartGate.Run(1, _ =>
        {
            local.Value = "caller";
            _loop.Post(_ => changes.Add("callback"), null);
        });
        _loop.Call(() => { });
        Assert.Equal(["null to caller", "callback", "caller to null"], changes);
    }

    private string? Seen(bool fromLoop, Action prepare, bool isUnsafe)
    {
        using var seen = new Observation<string?>(() => _local.Value);
        void PrepareAndPost()
        {
            prepare();
            Post(seen.Observe, isUnsafe);
        }

        if (fromLoop)
        {
            _loop.Call(PrepareAndPost);
        }
        else
        {
            StartGate.Run(1, _ => PrepareAndPost());
        }

        return seen.Result;
    }

    private void Post(Action<object?> callback, bool isUnsafe)
    {
        if (isUnsafe)
        {
            _loop.UnsafePost(callback, null);
        }
        else
        {
            _loop.Post(callback, null);
        }
    }
}

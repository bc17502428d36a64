using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Posting;

/// <summary>What a callback did to its thread and its contexts is undone for the very next one (T34, T35).</summary>
public sealed class PostingIsolationTests : IDisposable
{
    [ThreadStatic]
    private static string? t_threadStatic;

    private readonly AsyncLocal<string?> _local = new();
    private readonly EventLoop _loop = new(new EventLoopOptions { Name = "clean" });

    public void Dispose() => _loop.Dispose();

    /// <summary>Who does it: what runs on a loop is of these kinds.</summary>
    public enum Kind
    {
        Callback,
        Continuation,
        Operation,
        Timer,
    }

    public static TheoryData<Kind> Kinds() => new(Enum.GetValues<Kind>());

    [Theory, MemberData(nameof(Kinds))]
    public void T34_AsyncLocal(Kind kind) => AssertUndone(kind, () => _local.Value, () => _local.Value = "left behind");

    [Theory, MemberData(nameof(Kinds))]
    public void T34_SynchronizationContext(Kind kind)
    {
        AssertUndone(
            kind,
            () => SynchronizationContext.Current,
            () => SynchronizationContext.SetSynchronizationContext(new SynchronizationContext()));
        AssertUndone(kind, () => SynchronizationContext.Current, () => SynchronizationContext.SetSynchronizationContext(null));
    }

    [Theory, MemberData(nameof(Kinds))]
    public void T34_SuppressedFlow(Kind kind) =>
        AssertUndone(kind, () => ExecutionContext.IsFlowSuppressed(), () => ExecutionContext.SuppressFlow());

    [Theory, MemberData(nameof(Kinds))]
    public void T35_Culture(Kind kind) => AssertUndone(
        kind,
        () => CultureInfo.CurrentCulture.NumberFormat.NumberDecimalSeparator,
        () =>
        {
            var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
            culture.NumberFormat.NumberDecimalSeparator = "!";
            CultureInfo.CurrentCulture = culture;
        });

    [Theory, MemberData(nameof(Kinds))]
    public void T35_ThreadName(Kind kind) =>
        AssertUndone(kind, () => Thread.CurrentThread.Name, () => Thread.CurrentThread.Name = "renamed");

    [Theory, MemberData(nameof(Kinds))]
    public void T35_BackgroundFlag(Kind kind) =>
        AssertUndone(kind, () => Thread.CurrentThread.IsBackground, () => Thread.CurrentThread.IsBackground = false);

    [Theory, MemberData(nameof(Kinds))]
    public void T35_Priority(Kind kind) =>
        AssertUndone(kind, () => Thread.CurrentThread.Priority, () => Thread.CurrentThread.Priority = ThreadPriority.BelowNormal);

    [Fact]
    public void T35_ThreadStatics_AreNotReset()
    {
        _loop.Call(() => { t_threadStatic = "kept"; });
        Assert.Equal("kept", _loop.Call(() => t_threadStatic));
    }

    private void AssertUndone<T>(Kind kind, Func<T> look, Action change)
    {
        T before = _loop.Call(look);
        using var changed = new Observation<T>(() =>
        {
            change();
            return look();
        });
        using var next = new Observation<T>(look);
        Run(kind, state =>
        {
            changed.Observe(state);
            _loop.UnsafePost(next.Observe, null);
        });
        Assert.NotEqual(before, changed.Result); // else the change could not be seen at all
        Assert.Equal(before, next.Result);
    }

    private void Run(Kind kind, Action<object?> body)
    {
        switch (kind)
        {
            case Kind.Callback:
                _loop.UnsafePost(body, null);
                break;
            case Kind.Continuation:
                _loop.SynchronizationContext.Post(state => body(state), null);
                break;
            case Kind.Operation:
                _ = _loop.InvokeAsync(() => body(null));
                break;
            default:
                _loop.Call(() => new EventLoopTimer(_loop, body, null).Arm(TimeSpan.Zero));
                break;
        }
    }
}

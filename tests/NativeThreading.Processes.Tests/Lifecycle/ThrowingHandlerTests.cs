using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>
/// Exceptions where no code can take them: in a handler of unhandled exceptions, and in the callback of an
/// <see cref="AsyncLocal{T}"/> while a loop changes the context. The process ends and reports the first one (T42, T132, T138).
/// </summary>
[Trait("Category", "Fault")]
public sealed class ThrowingHandlerTests
{
    private const string Message = "the callback's own exception";
    private const string LocalMessage = "the callback of a local";
    private const string WhereVariable = "NTH_TEST_WHERE";

    private static bool s_throws;

    private static readonly AsyncLocal<string?> s_local = new(static change =>
    {
        if (Volatile.Read(ref s_throws) && change.ThreadContextChanged)
        {
            throw new InvalidTimeZoneException(LocalMessage);
        }
    });

    [Theory, InlineData("pool"), InlineData("loop")]
    public async Task HandlerOfUnhandledExceptionsThatThrows_TakesNothing_TheProcessEndsWithTheFirstException(string where)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(HandlerThatThrows, (WhereVariable, where));
        Assert.True(child.ExitCode == 134, child.ToString());
        Assert.Contains(Message, child.Error, StringComparison.Ordinal);
    }

    [Theory, InlineData("posted"), InlineData("timer"), InlineData("after a callback")]
    public async Task T138_CallbackOfALocalThatThrowsOnALoop_EndsTheProcess(string where)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(LocalThatThrows, (WhereVariable, where));
        Assert.True(child.ExitCode == 134, child.ToString());
        Assert.Contains(LocalMessage, child.Error, StringComparison.Ordinal);
    }

    private static int HandlerThatThrows()
    {
        static bool Handle(Exception exception) => throw new InvalidOperationException("the handler's exception");
        if (Environment.GetEnvironmentVariable(WhereVariable) == "pool")
        {
            new NativeThreadPool(new NativeThreadPoolOptions { UnhandledException = Handle })
                .UnsafeQueueUserWorkItem(static _ => throw new InvalidTimeZoneException(Message), null);
        }
        else
        {
            new EventLoop(new EventLoopOptions { UnhandledException = Handle })
                .UnsafePost(static _ => throw new InvalidTimeZoneException(Message), null);
        }

        return ChildProcess.Survived();
    }

    private static int LocalThatThrows()
    {
        var loop = new EventLoop(new EventLoopOptions { UnhandledException = static _ => true });
        loop.Call(static () => { });
        switch (Environment.GetEnvironmentVariable(WhereVariable))
        {
            case "posted":
                s_local.Value = "set";
                Volatile.Write(ref s_throws, true);
                loop.Post(static _ => { }, null);
                break;
            case "timer":
                s_local.Value = "set";
                var timer = new EventLoopTimer(loop, static _ => { }, null);
                Volatile.Write(ref s_throws, true);
                timer.Arm(TimeSpan.Zero);
                break;
            default:
                loop.UnsafePost(
                    static _ =>
                    {
                        s_local.Value = "set";
                        Volatile.Write(ref s_throws, true);
                    },
                    null);
                break;
        }

        return ChildProcess.Survived();
    }
}

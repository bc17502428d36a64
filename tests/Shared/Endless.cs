using System.Diagnostics.CodeAnalysis;

namespace NativeThreading.Tests.Support;

/// <summary>
/// Waits without a deadline, for tests that are about them: a wait for a task runs it in its place, or lets the pool see a
/// worker that is blocked for good, only where it has no time limit. <see cref="HangWatchAttribute"/> ends what hangs here.
/// </summary>
[SuppressMessage("ApiDesign", "RS0030:Do not use banned APIs", Justification = "The one place.")]
internal static class Endless
{
    public static void Wait(Task task) => task.Wait();

    public static void WaitAll(params Task[] tasks) => Task.WaitAll(tasks);

    public static int WaitAny(params Task[] tasks) => Task.WaitAny(tasks);
}

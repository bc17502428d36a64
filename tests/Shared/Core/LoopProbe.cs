namespace NativeThreading.Tests.Support;

/// <summary>Looks at a loop from within, and waits for states that nothing signals.</summary>
internal static class LoopProbe
{
    extension(EventLoop loop)
    {
        /// <summary>Runs a function as a raw callback in the default execution context, and waits for what it returns.</summary>
        public T Call<T>(Func<T> function)
        {
            using var seen = new Observation<T>(function);
            loop.UnsafePost(seen.Observe, null);
            return seen.Result;
        }

        /// <inheritdoc cref="Call{T}"/>
        public void Call(Action action) => loop.Call(() =>
        {
            action();
            return true;
        });

        /// <summary>Waits until the loop has entered the kernel to sleep.</summary>
        public void WaitUntilAsleep()
        {
            long awake = loop.Call(() => loop.Stats.Sleeps);
            Deadline.Until(() => loop.Stats.Sleeps > awake, $"{loop} goes to sleep");
        }
    }
}

using System.Runtime.InteropServices;

namespace NativeThreading;

/// <summary>Descriptors that the loop watches.</summary>
public sealed partial class EventLoop
{
    private const EventLoopInterest EveryInterest = EventLoopInterest.Read | EventLoopInterest.Write | EventLoopInterest.EdgeTriggered;

    /// <summary>
    /// Watches a descriptor and calls back on the loop's thread when it is ready. On another thread the call waits for the
    /// loop. If the loop may be waiting for that thread, use <see cref="InvokeAsync(Action, CancellationToken)"/> instead.
    /// </summary>
    /// <param name="handle">
    /// A socket, pipe or other descriptor that can be polled; best non-blocking. Until the registration is disposed the handle
    /// stays alive, and its number is not used again.
    /// </param>
    /// <param name="interest">What to be told.</param>
    /// <param name="handler">
    /// Called with the ready set and <paramref name="state"/>, in the caller's execution context. Without <see
    /// cref="EventLoopInterest.EdgeTriggered"/>, called again in each turn for as long as readiness lasts.
    /// </param>
    /// <param name="state">Passed to it.</param>
    /// <returns>
    /// The registration. After its disposal the loop begins no call of the handler, not even for what was ready before. For
    /// other threads than the loop's see <see cref="EventLoopRegistration.Dispose"/>.
    /// </returns>
    /// <remarks>
    /// Dispose the registration before a <see cref="System.Net.Sockets.Socket"/> of that handle. The socket's disposal waits
    /// until nobody holds the handle: on the loop's thread it would wait for itself.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> or <paramref name="handler"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// <paramref name="handle"/> is invalid, or of a kind that cannot be polled, as regular files are.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="interest"/> has unknown flags.</exception>
    /// <exception cref="InvalidOperationException">
    /// The descriptor is registered with this loop already, or the system refuses to watch more; the message carries errno.
    /// </exception>
    /// <exception cref="ObjectDisposedException">
    /// <paramref name="handle"/> is closed; or the loop has stopped, or it is shutting down and the caller is not on its
    /// thread.
    /// </exception>
    public EventLoopRegistration Register(
        SafeHandle handle, EventLoopInterest interest, Action<EventLoopReadiness, object?> handler, object? state)
    {
        ArgumentNullException.ThrowIfNull(handle);
        ArgumentNullException.ThrowIfNull(handler);
        CheckInterest(interest);
        BeforeEntry();
        if (IsInLoop)
        {
            return new EventLoopRegistration(this, handle, interest, handler, state);
        }

        try
        {
            return InvokeAsync(() => new EventLoopRegistration(this, handle, interest, handler, state)).GetAwaiter().GetResult();
        }
        catch (OperationCanceledException)
        {
            throw new ObjectDisposedException(ToString(), "The event loop was stopped before it came to the registration.");
        }
    }

    internal static void CheckInterest(EventLoopInterest interest)
    {
        if ((interest & ~EveryInterest) != 0)
        {
            throw OptionRange.Error(nameof(interest), interest, $"of {EveryInterest}");
        }
    }
}

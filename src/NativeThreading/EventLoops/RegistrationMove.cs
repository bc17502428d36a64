namespace NativeThreading.EventLoops;

/// <summary>A registration's way to another loop, and the task of whoever sent it there.</summary>
internal sealed class RegistrationMove(EventLoop target) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    /// <summary>Where it goes.</summary>
    public EventLoop Target => target;

    /// <summary>The registration was disposed of on its way.</summary>
    public void Fail() => TrySetException(new ObjectDisposedException(typeof(EventLoopRegistration).FullName, "The registration was disposed before it moved."));
}

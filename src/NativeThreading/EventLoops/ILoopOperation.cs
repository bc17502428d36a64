namespace NativeThreading.EventLoops;

/// <summary>A posted callback that somebody has a task for.</summary>
internal interface ILoopOperation
{
    /// <summary>It will not run: cancels the task.</summary>
    void Drop();
}

namespace NativeThreading.Workloads.Quwi;

/// <summary>One way of queueing a chain's next step on one pool.</summary>
internal interface IForm
{
    static abstract void Queue(Chain chain);

    static abstract Task Run(Func<Task> producer);
}

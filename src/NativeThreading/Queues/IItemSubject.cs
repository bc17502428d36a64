namespace NativeThreading.Queues;

/// <summary>The state of an item of ours that stands for what a user gave. Observers ask what that is before the item begins.</summary>
internal interface IItemSubject
{
    /// <summary>The user's delegate, or <see langword="null"/> where it has been taken or cancelled.</summary>
    Delegate? Subject { get; }

    /// <summary>Whether the item begins an operation or another call of <c>Run</c>.</summary>
    bool BeginsWork { get; }
}

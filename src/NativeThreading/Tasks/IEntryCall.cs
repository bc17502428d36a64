namespace NativeThreading.Tasks;

/// <summary>The state of an item of <c>Run</c> or <c>RunAsync</c>. No user can get hold of such an object, so an item that has one as
/// its state is such a call.</summary>
internal interface IEntryCall
{
    /// <summary>Ends the call by the token of a shutdown, unless its function has begun. The item has been taken out of its queue.</summary>
    /// <returns><see langword="true"/> if the call ended here; <see langword="false"/> if it had begun, or had been cancelled before.</returns>
    bool TryAbandon(CancellationToken stopToken);

    /// <summary>Gives back the permit of a limited queue, if the call holds one.</summary>
    void ReleasePermit()
    {
    }
}

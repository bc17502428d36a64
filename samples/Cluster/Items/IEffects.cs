namespace NativeThreading.Samples.Cluster;

/// <summary>What items do to the world: each one may do it once.</summary>
internal interface IEffects
{
    /// <summary>Has the effect of an item, unless it was had before: both is decided and done in one step.</summary>
    Task ApplyAsync(string key, CancellationToken cancellationToken);
}

namespace NativeThreading.Tests.Contract;

/// <summary>Base of the contract: one pool per test, disposed after it.</summary>
public abstract class PoolContract<TPool> : IDisposable
    where TPool : IPoolUnderTest, new()
{
    protected TPool Pool { get; } = new();

    public void Dispose()
    {
        Pool.Dispose();
        GC.SuppressFinalize(this);
    }
}

namespace NativeThreading.AspNetCore;

/// <summary>Checks a pool's name, before services are asked for it.</summary>
internal static class PoolNames
{
    public static string Checked(string poolName, string parameter)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(poolName, parameter);
        return poolName;
    }
}

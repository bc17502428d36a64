namespace NativeThreading.AspNetCore;

/// <summary>The one check of a name, before anything asks the services for it.</summary>
internal static class PoolNames
{
    public static string Checked(string poolName, string parameter)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(poolName, parameter);
        return poolName;
    }
}

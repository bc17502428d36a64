namespace NativeThreading.Samples.Dashboard;

/// <summary>Work that awaits.</summary>
internal static class Mails
{
    public static async Task SendAsync()
    {
        await Task.Delay(Random.Shared.Next(5, 50));
        Encode();
    }

    private static void Encode() => Thread.SpinWait(Random.Shared.Next(1_000, 20_000));
}

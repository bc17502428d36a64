using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>
/// Rounds of random input, for a while. What fails names the seed of its round, and NTH_FUZZ_SEED repeats that round, though not what
/// the threads do.
/// </summary>
internal static class Fuzz
{
    private const string Variable = "NTH_FUZZ_SEED";

    /// <param name="usual">How long without NTH_SOAK.</param>
    /// <param name="round">One round; may use nothing random but what it is given.</param>
    public static async Task RunAsync(TimeSpan usual, Func<Random, Task> round)
    {
        bool isRepeated = int.TryParse(Environment.GetEnvironmentVariable(Variable), CultureInfo.InvariantCulture, out int first);
        if (!isRepeated)
        {
            first = Random.Shared.Next(1_000_000_000);
        }

        TimeSpan time = usual * Soak.Rounds(1);
        long began = Stopwatch.GetTimestamp();
        int rounds = 0;
        do
        {
            int seed = first + rounds;
            try
            {
                await round(new Random(seed));
            }
            catch (Exception exception)
            {
                throw new InvalidOperationException($"{Variable}={seed}: {exception.Message}", exception);
            }

            rounds++;
        }
        while (!isRepeated && Stopwatch.GetElapsedTime(began) < time);

        TestContext.Current.TestOutputHelper?.WriteLine($"{rounds} rounds from {Variable}={first} on");
    }

    /// <summary>Sends the bytes in pieces of random sizes, now and then with a short time between them.</summary>
    public static async Task SendInPiecesAsync(this RawClient client, byte[] bytes, Random random)
    {
        int pieces = random.Next(1, 12);
        int[] ends = [.. Enumerable.Range(1, pieces - 1).Select(_ => random.Next(bytes.Length + 1)).Order(), bytes.Length];
        int start = 0;
        foreach (int end in ends)
        {
            await client.SendAsync(bytes.AsMemory(start..end));
            start = end;
            Thread.SpinWait(random.Next(2) * random.Next(5_000));
        }
    }
}

using System.Diagnostics;
using System.Globalization;
using System.Net;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>
/// Rounds of random input, for a while: NTH_FUZZ_SECONDS where that is set. What fails names the seed of its round, and NTH_FUZZ_SEED
/// repeats that round, though not what the threads do.
/// </summary>
internal static class Fuzz
{
    private const string Variable = "NTH_FUZZ_SEED", Seconds = "NTH_FUZZ_SECONDS";

    // Where pieces end that nothing else decides: a piece less, a piece more.
    private const int Block = 4096;

    /// <param name="usual">How long without either variable.</param>
    /// <param name="round">One round; may use nothing random but what it is given.</param>
    public static async Task RunAsync(TimeSpan usual, Func<Random, Task> round)
    {
        bool isRepeated = int.TryParse(Environment.GetEnvironmentVariable(Variable), CultureInfo.InvariantCulture, out int first);
        if (!isRepeated)
        {
            first = Random.Shared.Next(1_000_000_000);
        }

        TimeSpan time = double.TryParse(Environment.GetEnvironmentVariable(Seconds), CultureInfo.InvariantCulture, out double seconds)
            ? TimeSpan.FromSeconds(seconds)
            : usual * Soak.Rounds(1);
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

    /// <summary>An address of the client's own: each has its own ports, of which closed connections keep one for a minute.</summary>
    public static IPAddress NextAddress(this Random random) => new([127, (byte)random.Next(1, 4), (byte)random.Next(256), (byte)random.Next(1, 255)]);

    /// <summary>
    /// Sends the bytes in pieces, now and then with a short time between them. They end anywhere, or at a boundary, or one byte next to it: of
    /// lines, and of the blocks that a transport reads into.
    /// </summary>
    public static async Task SendInPiecesAsync(this RawClient client, byte[] bytes, Random random)
    {
        int pieces = random.Next(1, 12);
        int[] ends = [.. Enumerable.Range(1, pieces - 1).Select(_ => NextEnd(bytes, random)).Order(), bytes.Length];
        int start = 0;
        foreach (int end in ends)
        {
            await client.SendAsync(bytes.AsMemory(start..end));
            start = end;
            Thread.SpinWait(random.Next(2) * random.Next(5_000));
        }
    }

    private static int NextEnd(byte[] bytes, Random random)
    {
        int end = random.Next(bytes.Length + 1);
        switch (random.Next(3))
        {
            case 0:
                end += Math.Max(bytes.AsSpan(end).IndexOf("\r\n"u8), 0) + random.Next(4) - 1; // before, in or behind it, or one before that
                break;
            case 1:
                end = (end / Block * Block) + random.Next(3) - 1;
                break;
            default:
                break;
        }

        return Math.Clamp(end, 0, bytes.Length);
    }
}

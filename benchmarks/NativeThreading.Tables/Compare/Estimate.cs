using System.Globalization;

namespace NativeThreading.Tables.Compare;

/// <summary>A ratio and the 90 % interval around it, from the logarithms that independent rounds yielded: Student's t, because the rounds are few.
/// The rounds are what varies by chance, not the rows, so there is one number per round.</summary>
internal readonly record struct Estimate(int Rounds, double Ratio, double Low, double High)
{
    public const string NoDifference = "no difference shown";

    // The 95th percentile of t by degrees of freedom, from 1: an interval leaves out 5 % on either side.
    private static readonly double[] s_t =
    [
        6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812,
        1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725,
    ];

    private const double MoreThanTabulated = 1.725; // a little too wide beyond 21 rounds, never too narrow

    /// <summary>Null without a round; with one alone there is a ratio and no bound.</summary>
    public static Estimate? Of(IReadOnlyList<double> logarithms)
    {
        int n = logarithms.Count;
        if (n == 0)
        {
            return null;
        }

        double mean = logarithms.Average();
        if (n == 1)
        {
            return new Estimate(1, Math.Exp(mean), 0, double.PositiveInfinity);
        }

        double variance = logarithms.Sum(l => (l - mean) * (l - mean)) / (n - 1);
        double reach = (n - 2 < s_t.Length ? s_t[n - 2] : MoreThanTabulated) * Math.Sqrt(variance / n);
        return new Estimate(n, Math.Exp(mean), Math.Exp(mean - reach), Math.Exp(mean + reach));
    }

    /// <summary>What the interval allows to say.</summary>
    public string Verdict => Low > 1 ? "better" : High < 1 ? "worse" : NoDifference;

    public override string ToString() => Rounds == 1
        ? string.Create(CultureInfo.InvariantCulture, $"{Ratio:F3} (one round: no bound)")
        : string.Create(CultureInfo.InvariantCulture, $"{Ratio:F3} [{Low:F3}, {High:F3}]");
}

using System.Globalization;

namespace NativeThreading.Samples.Cluster;

/// <summary>What has become of all items. The number of repeated attempts is of no harm: it shows what the keys are for.</summary>
internal sealed record Account(long Items, long Effects, long Lost, long Doubled, long Repeated)
{
    public bool IsExact => Effects == Items && Lost == 0 && Doubled == 0;

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"items {Items}, effects {Effects}, lost {Lost}, doubled {Doubled}, repeated attempts {Repeated}");
}

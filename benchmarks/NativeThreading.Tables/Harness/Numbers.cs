using System.Globalization;

namespace NativeThreading.Tables.Harness;

/// <summary>Numbers as the text tables print them: three to four significant digits.</summary>
internal static class Numbers
{
    public static string Format(double value) => Math.Abs(value) switch
    {
        0 => "0",
        >= 1000 => value.ToString("N0", CultureInfo.InvariantCulture),
        >= 100 => value.ToString("F1", CultureInfo.InvariantCulture),
        >= 0.1 => value.ToString("F2", CultureInfo.InvariantCulture),
        _ => value.ToString("G3", CultureInfo.InvariantCulture),
    };

    public static string Format(double? value) => value is double v ? Format(v) : "-";

    public static string Ratio(double? advantage) =>
        advantage is double a ? a.ToString("F2", CultureInfo.InvariantCulture) + "x" : "-";
}

using System.CommandLine;

namespace NativeThreading.Tables.Harness;

/// <summary>The option that measures some rows of a table only: what one looks at while one changes something.</summary>
internal sealed class RowSelection
{
    private readonly Option<string[]> _rows = new("--rows")
    {
        Description = "Only rows whose name contains one of these texts.",
        HelpName = "TEXT",
        AllowMultipleArgumentsPerToken = true,
    };

    public Option Option => _rows;

    /// <exception cref="MeasurementException">No row is left.</exception>
    public IReadOnlyList<Row> Of(IEnumerable<Row> rows, ParseResult arguments) => Of(rows, static row => row.Name, arguments);

    /// <inheritdoc cref="Of(IEnumerable{Row}, ParseResult)"/>
    public IReadOnlyList<T> Of<T>(IEnumerable<T> rows, Func<T, string> name, ParseResult arguments)
    {
        string[] texts = arguments.GetValue(_rows) ?? [];
        T[] selected = [.. rows.Where(row => texts.Length == 0 || texts.Any(text => name(row).Contains(text, StringComparison.Ordinal)))];
        return selected.Length != 0 ? selected : throw new MeasurementException($"no row's name contains {string.Join(" or ", texts)}.");
    }
}

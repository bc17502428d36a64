using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Microsoft.Extensions.Configuration;

namespace NativeThreading.Hosting;

/// <summary>Finds the keys of a section that the binder would ignore or read as something else. The binder rejects unknown keys, too, but its message
/// names a flag of its own, and not the valid keys. It ignores keys below an option and empty values, and combines the values of a list for an
/// enumeration.</summary>
internal static class OptionKeys
{
    /// <summary>Returns one sentence for each error of a section.</summary>
    public static string[] Errors<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] TOptions>(IConfigurationSection section)
    {
        PropertyInfo[] options = [.. typeof(TOptions).GetProperties().Where(static property => property.CanWrite).OrderBy(static property => property.Name, StringComparer.Ordinal)];
        return [.. section.GetChildren().SelectMany(child => Errors(child, options))];
    }

    private static IEnumerable<string> Errors(IConfigurationSection key, PropertyInfo[] options)
    {
        PropertyInfo? option = Array.Find(options, option => option.Name.Equals(key.Key, StringComparison.OrdinalIgnoreCase));
        if (option is null)
        {
            return [$"{key.Path}: unknown option. Known options are {string.Join(", ", options.Where(static option => !IsOfCode(option)).Select(static option => option.Name))}."];
        }

        if (IsOfCode(option))
        {
            return [$"{key.Path}: {key.Key} can be set only in code."];
        }

        if (IsList(option))
        {
            return key.Value is null or "" ? [] : [$"{key.Path}: {option.Name} accepts a list, but was '{key.Value}'."];
        }

        IEnumerable<string> nested = key.GetChildren().Select(child => $"{child.Path}: {option.Name} accepts one value and no keys below it.");
        return WhyNotOneValue(key.Value, option) is string why ? nested.Append($"{key.Path}: {why}") : nested;
    }

    private static string? WhyNotOneValue(string? value, PropertyInfo option) =>
        option.PropertyType.IsEnum && value?.Contains(',', StringComparison.Ordinal) == true
            ? $"{option.Name} must be one of {string.Join(", ", Enum.GetNames(option.PropertyType))}, but was '{value}'."
        : value is "" && option.PropertyType.IsValueType && Nullable.GetUnderlyingType(option.PropertyType) is null
            ? $"{option.Name} must have a value, but was empty."
        : null;

    private static bool IsList(PropertyInfo option) => option.PropertyType == typeof(IReadOnlyList<int>);

    private static bool IsOfCode(PropertyInfo option) => typeof(Delegate).IsAssignableFrom(option.PropertyType) || option.PropertyType == typeof(IWorkObserver);
}

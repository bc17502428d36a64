using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Microsoft.Extensions.Configuration;

namespace NativeThreading.Hosting;

/// <summary>
/// The keys that a section may have. The binder refuses others, too, but its message names a flag of its own, and not the valid
/// keys.
/// </summary>
internal static class OptionKeys
{
    /// <summary>One sentence for each unknown key of a section.</summary>
    public static string[] Errors<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] TOptions>(IConfigurationSection section)
    {
        PropertyInfo[] properties = typeof(TOptions).GetProperties();
        string[] byCode = Names(properties, isFunction: true);
        string[] known = Names(properties, isFunction: false);
        return
        [
            .. section.GetChildren().Select(static child => child.Key)
                .Where(key => !known.Contains(key, StringComparer.OrdinalIgnoreCase))
                .Select(key => byCode.Contains(key, StringComparer.OrdinalIgnoreCase)
                    ? $"{section.Path}:{key}: {key} is a function, and can be set by code only."
                    : $"{section.Path}:{key}: there is no option of that name. There are {string.Join(", ", known)}."),
        ];
    }

    private static string[] Names(PropertyInfo[] properties, bool isFunction) =>
    [
        .. properties.Where(property => property.CanWrite && typeof(Delegate).IsAssignableFrom(property.PropertyType) == isFunction)
            .Select(static property => property.Name)
            .Order(StringComparer.Ordinal),
    ];
}
